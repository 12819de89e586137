package jdk.nashorn.api.scripting;

import java.util.AbstractMap;

/** Maxwell asks values whether they are of this class, which left the JDK in 15. None is. */
public abstract class ScriptObjectMirror extends AbstractMap<String, Object> {
    public abstract boolean isArray();
}

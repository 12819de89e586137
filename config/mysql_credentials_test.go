package config

import "testing"

// What MySQL's own my_print_defaults makes of each line.
func TestCredentialsFile(t *testing.T) {
	for text, want := range map[string]struct{ user, password string }{
		"[client]\nuser=u\npassword=p\n":                                         {"u", "p"},
		"[mysqld]\nuser=mysql\n[client]\nuser = u # who\npassword = \"a#b\" #c":  {"u", "a#b"},
		"# c\n; c\n!includedir /etc\n[client]\n user\t=\tu\r\npassword=a b \r\n": {"u", "a b"},
		"[client]\nuser=u\npassword='it\\'s'":                                    {"u", "it's"},
		"[client]\nuser=u\npassword=a\\sb\\\\s\\d":                               {"u", `a b\s\d`},
		"[client]\nuser=u\npassword=it's":                                        {"u", "it's"},
		"[client]\nuser=u\npassword='\"'":                                        {"u", `"`},
		"[mysqld]\nuser='\n[client]\nuser=u\nhost='":                             {"u", ""},
		"[client]\nuser=u\npassword='a'#b'c'":                                    {"u", "a"},
		"[client]\nuser=u\npassword=a=b":                                         {"u", "a=b"},
		"[client]\nuser=u\nskip-ssl\npassword=":                                  {"u", ""},
		"[client]\nuser=a\npassword=old\n[mysql]\npassword=no\n[client]\nuser=b": {"b", "old"},
	} {
		user, password, err := parseCredentials(text)
		if err != nil || user != want.user || password != want.password {
			t.Errorf("%q: user %q, password %q, %v", text, user, password, err)
		}
	}
	for text, want := range map[string]string{
		"":                        "it has no section [client]",
		"[mysql]\nuser=u":         "it has no section [client]",
		"[client]\npassword=p":    "its section [client] has no user",
		"user=u\n[client\nuser=u": "line 2 begins a section and does not end its name",
		// Here programs differ: some take the quote for a part of the value, with the comment behind it, and some do not.
		"[client]\nuser=u\npassword='a\"":              "line 3: password begins with a quote that is not closed",
		"[client]\nuser=u\npassword=\"":                "line 3: password begins with a quote that is not closed",
		"[client]\nuser = 'u # who\npassword=p":        "line 2: user begins with a quote that is not closed",
		"[client]\nuser=u\npassword=\"secret\\\" #x\n": "line 3: password begins with a quote that is not closed",
	} {
		if _, _, err := parseCredentials(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

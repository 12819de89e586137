FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
ARG REVISION=
ARG BRANCH=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /truelag_exporter -ldflags "-s -w \
      -X github.com/prometheus/common/version.Version=${VERSION} \
      -X github.com/prometheus/common/version.Revision=${REVISION} \
      -X github.com/prometheus/common/version.Branch=${BRANCH}" . \
 && mkdir /licenses \
 && find . -maxdepth 1 \( -name 'LICENSE*' -o -name 'NOTICE*' \) -exec cp {} /licenses/ \;

FROM scratch
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="truelag_exporter" \
      org.opencontainers.image.description="Prometheus exporter of the true lag of Kafka consumer groups" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /licenses /licenses
COPY --from=build /truelag_exporter /truelag_exporter
# Nobody in particular: the image has no users.
USER 65532:65532
EXPOSE 10092
ENTRYPOINT ["/truelag_exporter"]

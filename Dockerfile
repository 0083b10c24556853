# iogauge with all four languages: the wheel has the runners of Go and Rust inside, and a JDK comes from a package.
#
#   make dist && docker build -t iogauge .
#   docker run --rm -v "$PWD:/data" iogauge /data/my.log
#
# Files for cold measurements must lie on a disk, not in the layers of the container: -v /some/folder:/data, and --dir /data.
FROM python:3.13-slim
COPY dist/iogauge-*.whl /tmp/
RUN set -- /tmp/iogauge-*_"$(uname -m)".whl && pip install --no-cache-dir "$1[jvm]" && rm /tmp/iogauge-*.whl \
    && useradd --create-home iogauge
USER iogauge
VOLUME /home/iogauge
ENTRYPOINT ["iogauge"]

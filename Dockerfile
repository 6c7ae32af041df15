# The English model, served: docs/how-to/serve.md
#
#   docker build -t grassmeans .
#   docker run --rm -p 127.0.0.1:8643:8643 grassmeans

FROM python:3.12-slim AS build
WORKDIR /build
COPY LICENSE NOTICE README.md pyproject.toml ./
COPY release/readme.py release/
COPY src src
COPY packages/en packages/en
COPY packages/explorer packages/explorer
RUN python -m venv /opt/grassmeans \
    && /opt/grassmeans/bin/pip install --no-cache-dir . ./packages/en ./packages/explorer

FROM python:3.12-slim
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin grassmeans
COPY --from=build /opt/grassmeans /opt/grassmeans
# Kernels are compiled when the server starts, into a place that every user may write to.
ENV PATH=/opt/grassmeans/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/tmp/numba
WORKDIR /tmp
USER 10001
EXPOSE 8643
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8643/healthz', timeout=4)"]
# Callers of a published port come in the name of localhost, and not from this machine.
ENTRYPOINT ["grassmeans", "serve", "en", "--host", "0.0.0.0", "--allow-host", "localhost", "--allow-host", "127.0.0.1"]

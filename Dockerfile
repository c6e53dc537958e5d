# Loader Lab with JupyterLab: for one person, or as the image of a JupyterHub user's server.
#
#   docker build -t loader-lab .
#   docker run --rm --shm-size=1g -p 127.0.0.1:8888:8888 loader-lab
#
# and open the address that it prints. --shm-size: batches travel from the workers through /dev/shm, where Docker gives
# 64 MB. To keep your notebooks, add -v loader-lab:/home/learner. Torch is the build for the CPU, 0.2 GB; with
# `--build-arg PIP_OPTIONS=` it is the one for CUDA, 2.7 GB, for `docker run --gpus all`.
#
# Untested: there was no Docker daemon where this file was written.

FROM python:3.11-slim

ARG PIP_OPTIONS="--extra-index-url https://download.pytorch.org/whl/cpu"

# jpegtran makes JPEGs cuttable, so that lesson 8 can decode a crop only.
# For a GPU, torch.compile needs a compiler of C.
RUN apt-get update \
 && apt-get install -y --no-install-recommends libjpeg-turbo-progs $(test -n "$PIP_OPTIONS" || echo gcc libc6-dev) \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/loader-lab
COPY requirements.txt .
RUN pip install --no-cache-dir $PIP_OPTIONS -r requirements.txt jupyterhub
COPY . .
RUN pip install --no-cache-dir --no-deps .

RUN useradd --create-home --uid 1000 learner
USER learner
WORKDIR /home/learner

# /home/learner may be a volume, so the notebooks come there when the container starts, and are not overwritten later.
ENTRYPOINT ["sh", "-c", "test -d ~/loader-lab || { mkdir ~/loader-lab && cp -r /opt/loader-lab/notebooks* ~/loader-lab; }; exec \"$@\"", "learner"]
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser", "--LabApp.default_url=/lab/tree/loader-lab/notebooks/00_start_here.ipynb"]
EXPOSE 8888

# Unhealthy where the container has too little for a lesson; `docker inspect` shows what, and the cure.
HEALTHCHECK --interval=10m --timeout=1m --retries=1 CMD ["loaderlab", "doctor"]

#!/usr/bin/env bash
# Builds a real Ollama server from the Go module proxy into a folder: build-ollama.sh FOLDER. Needs Go, gcc and g++.
#
# A Go module leaves out every folder named `vendor`, and with it three headers that Ollama's C++ code includes. They
# are taken from where else the proxy has them: an older Ollama, and the Go binding of miniaudio.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
version=v0.12.6  # newer ones want their CPU runner to be built by CMake
export GOFLAGS=-buildvcs=false CGO_ENABLED=1

module() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }

cd "$folder"
older=$(module github.com/ollama/ollama@v0.6.5)/llama/llama.cpp/common
audio=$(module github.com/gen2brain/malgo@v0.11.23)
mkdir -p include/nlohmann include/stb include/miniaudio
cp -f "$older/json.hpp" include/nlohmann/json.hpp
cp -f "$older/stb_image.h" include/stb/stb_image.h
cp -f "$audio/miniaudio.h" include/miniaudio/miniaudio.h
printf '#pragma once\n#include "json.hpp"\n' >include/nlohmann/json_fwd.hpp
chmod -R u+w include

# With the vector instructions of this machine: without them a token of a small model takes a second.
export CGO_CFLAGS="-O3 -march=native -g0 -w -I$folder/include" CGO_CXXFLAGS="-O3 -march=native -g0 -w -I$folder/include"
GOBIN="$folder/bin" go install "github.com/ollama/ollama@$version"
"$folder/bin/ollama" --version 2>/dev/null | tail -n 1

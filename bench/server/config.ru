# frozen_string_literal: true

require_relative "service"

run ServerBench::Service

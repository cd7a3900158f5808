# frozen_string_literal: true

require "rbconfig"
require_relative "../harness/programs"
require_relative "../harness/target"

module RailsBench
  # The servers, each with one process that serves, with what would write logs of requests turned
  # off. Nothing is pinned to a core: a server whose threads contend for Ruby's lock pays for it, as
  # it does for users.
  module Targets
    ROOT = Bench::Programs::ROOT

    module_function

    def raffia(name, *arguments)
      target(name, RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "serve", "--no-config",
        "-e", "production",
        "-b", "tcp://127.0.0.1:PORT", "--access-log", "off", *arguments)
    end

    def puma(name, threads, *arguments)
      target(name,
        *%W[bundle exec puma -q -C /dev/null -e production -b tcp://127.0.0.1:PORT -t
          #{threads}:#{threads}], *arguments)
    end

    def target(name, *command) = Bench::Target.new(name:, group: :one, open: -> { command })

    ALL = [
      raffia("raffia", "--processes", "1"),
      raffia("raffia-threads", "--processes", "1", "--execution", "threads"),
      raffia("raffia-single", "--processes", "0"),
      puma("puma-1", 1), puma("puma-3", 3), puma("puma-5", 5),
      target("falcon", *%w[bundle exec falcon serve -n 1 -b http://127.0.0.1:PORT])
    ].to_h { |one| [one.name, one] }.freeze
  end
end

# frozen_string_literal: true

require "net/http"
require "shellwords"
require "socket"
require "tmpdir"
require_relative "services/server"
require_relative "services/all"

module Conformance
  # The servers that suites talk to: started once for a run of all suites, on free ports of
  # loopback, and ended with it.
  class Services
    ALL = {
      "redis" => Servers::Redis, "memcached" => Servers::Memcached,
      "postgres" => Servers::Postgres, "mariadb" => Servers::MariaDB, "sshd" => Servers::SSH,
      "httpbin" => Servers::Httpbin
    }.freeze

    # @yieldparam services [Services]
    def self.open
      services = new
      yield services
    ensure
      services&.close
    end

    # @param text [String] with %{NAME} where a fact of a server belongs
    def self.put(text, facts) = text.gsub(/%\{(\w+)\}/) { facts.fetch($1.to_sym).to_s }

    def initialize
      @running = {}
    end

    # @return [Hash{Symbol => Object}] ports and folders of these servers, started where they
    #   are not
    # @raise [Error] if one is not installed, or does not start
    def facts(names) = names.flat_map { |name| server(name).facts.to_a }.to_h

    def close = @running.each_value(&:stop)

    private

    def server(name)
      kind = ALL.fetch(name) { raise Error, "no service is called #{name}" }
      @running[name] ||= kind.new.tap(&:start)
    end
  end
end

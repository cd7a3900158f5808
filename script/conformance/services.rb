# frozen_string_literal: true

require "socket"
require "tmpdir"
require_relative "services/server"
require_relative "services/all"

module Conformance
  # The servers that suites talk to: started once for a run of all suites, on free ports of
  # loopback, and ended with it.
  class Services
    ALL = {"redis" => Servers::Redis, "memcached" => Servers::Memcached, "postgres" => Servers::Postgres,
           "mariadb" => Servers::MariaDB, "sshd" => Servers::SSH}.freeze

    # @yieldparam services [Services]
    def self.open
      services = new
      yield services
    ensure
      services&.close
    end

    def initialize
      @running = {}
    end

    # @return [Hash{String => String}] the variables, with the ports and folders of the
    #   servers put in
    # @raise [Error] if one is not installed, or does not start
    def fill(env, names)
      values = names.flat_map { |name| server(name).facts.to_a }.to_h
      env.transform_values { |value| values.empty? ? value : format(value, values) }
    end

    def close = @running.each_value(&:stop)

    private

    def server(name)
      kind = ALL.fetch(name) { raise Error, "no service is called #{name}" }
      @running[name] ||= kind.new.tap(&:start)
    end
  end
end

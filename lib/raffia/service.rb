# frozen_string_literal: true

module Raffia
  # How a long-running command lives: its settings; in the {Foreground}, in worker processes as a
  # {Cluster}, or behind a {Handle} in a thread. It knows neither HTTP nor jobs nor actors.
  #
  # @api private
  module Service
    # Tells an application, and the programs that it starts, what it runs in. What systemd said was
    # meant for this process and is taken away.
    # @param environment [String]
    # @param env [#[]=, #delete]
    # @param force [Boolean] whether it counts more than what is set
    # @return [void]
    def self.export_environment(environment, env = Raffia::Config.environment, force: false)
      %w[RACK_ENV RAILS_ENV].each do |name|
        env[name] = environment if force || env[name].to_s.empty?
      end
      Config::SYSTEMD.each { |name| env.delete(name) }
      nil
    end
  end
end

require_relative "service/banner"
require_relative "service/cluster"
require_relative "service/config"
require_relative "service/foreground"
require_relative "service/handle"
require_relative "service/settings"

# frozen_string_literal: true

module Raffia
  # How a long-running command lives: settings, and a process in the {Foreground}, worker processes
  # ({Cluster}), or a thread ({Handle}). It knows neither HTTP nor jobs nor actors. Commands load
  # service/cluster or service/foreground, whichever they need.
  #
  # @api private
  module Service
    # Sets RACK_ENV and RAILS_ENV for the application and the programs that it starts. Removes
    # systemd's variables, which are only for this process. `force`: replace values that are set.
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
require_relative "service/config"
require_relative "service/handle"
require_relative "service/settings"

# frozen_string_literal: true

require "uri"

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # `beanstalk://host:port/tube?ttr=60`. Behind the ? is the time to run, in seconds, of jobs
        # that are put.
        # @api private
        Address = Data.define(:host, :port, :tube, :ttr)

        class Address
          PORT = 11_300
          # A job is touched while it runs, so this is only how soon the loss of a machine shows.
          TTR = 60
          # Name of a tube as the server takes it.
          NAME = %r{\A[a-zA-Z0-9+/;.$_()][a-zA-Z0-9+/;.$_()-]{0,199}\z}

          def self.parse(url)
            uri = URI.parse(url)
            options = URI.decode_www_form(uri.query.to_s).to_h
            tube = uri.path.to_s.delete_prefix("/")
            tube = "default" if tube.empty?
            ttr = Integer(options.fetch("ttr", TTR))
            raise ArgumentError unless uri.host && NAME.match?(tube) && ttr.positive?
            raise ArgumentError unless (options.keys - ["ttr"]).empty?

            new(host: uri.hostname, port: uri.port || PORT, tube: tube, ttr: ttr)
          rescue ArgumentError, URI::Error
            raise ConfigError, "#{Store::Address.shown(url)} is no address of beanstalkd: use " \
              "one such as beanstalk://localhost:11300/mail or beanstalk://localhost/mail?ttr=60"
          end

          def url = "beanstalk://#{host.include?(":") ? "[#{host}]" : host}:#{port}/#{tube}"

          # Raises {ConfigError} for a name that no tube can have.
          def tube_of(queue)
            return tube if queue == "default"
            return queue if NAME.match?(queue)

            raise ConfigError, "#{queue.inspect} cannot be the name of a tube in beanstalkd"
          end

          def reachable?(name) = name == tube || name != "default"

          def queue_of(name) = (name == tube) ? "default" : name
        end
      end
    end
  end
end

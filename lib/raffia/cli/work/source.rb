# frozen_string_literal: true

require_relative "../user_code"
require_relative "../../jobs/stores/beanstalk"

module Raffia
  module CLI
    module Work
      # The beanstalkd of --from, with the file of --map.
      #
      # @api private
      class Source
        include UserCode

        # Raises ConfigError and NotFound before anything is started.
        def initialize(url, map)
          unless url.match?(/\Abeanstalkd?:/)
            raise ConfigError, "--from takes the address of a beanstalkd, such as " \
              "beanstalk://localhost:11300/tube; --store takes those of Raffia's own stores"
          end
          raise NotFound.new(name: map) if map && !::File.file?(map)

          Jobs::Stores::Beanstalk::Address.parse(url)
          @url = url
          @map = map
          @pid = ::Process.pid
        end

        # The file may need what the program has loaded.
        def store = @store ||= Jobs::Stores::Beanstalk.new(@url, map: map)

        private

        # The last value of the file.
        def map
          return unless @map

          found = attempt { TOPLEVEL_BINDING.eval(::File.read(@map), @map) }
          return found if found.respond_to?(:call)

          raise ConfigError, "#{@map} must end with a lambda, such as ->(bytes) { " \
            "JSON.parse(bytes) }"
        end
      end
    end
  end
end

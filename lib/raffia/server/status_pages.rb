# frozen_string_literal: true

require_relative "static/media_types"

module Raffia
  class Server
    # Files that are sent instead of the server's own texts, by status. Read once.
    #
    # @api private
    class StatusPages
      # Bytes of a page.
      LONGEST = 1 << 20
      private_constant :LONGEST

      # `settings`: Strings such as "503=/srv/app/public/503.html". Raises ConfigError for a file
      # that cannot be read.
      def initialize(settings)
        @pages = settings.to_h do |setting|
          status, path = setting.split("=", 2)
          [status.to_i, [Static::MediaTypes.of(path), read(path)].freeze]
        end
      end

      # Content type and body, or nil.
      def [](status) = @pages[status]

      private

      def read(path)
        text = ::File.binread(path, LONGEST + 1)
        return text.freeze if text.bytesize <= LONGEST

        raise ConfigError, "error_page #{path} is longer than #{LONGEST} bytes"
      rescue SystemCallError => error
        raise ConfigError, "error_page #{path} cannot be read: #{error.message}"
      end
    end
  end
end

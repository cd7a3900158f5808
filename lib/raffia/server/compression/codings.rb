# frozen_string_literal: true

require_relative "../../base/optional"

module Raffia
  class Server
    class Compression
      # Content codings by name. Their libraries are loaded when a server asks for them.
      #
      # @api private
      module Codings
        NAMES = %i[zstd br gzip].freeze
        FILES = {zstd: "zstd", br: "brotli", gzip: "gzip"}.freeze
        private_constant :FILES

        # Raises MissingDependency for a gem that is not there, and ConfigError for one that Ractors
        # cannot use.
        def self.load(names, ractors: false)
          if ractors && names.include?(:br)
            raise ConfigError, "compress br: the gem brotli cannot be used in Ractors. Leave out " \
              "`br`, or `ractors`"
          end
          names.each do |name|
            require_gem(name)
            require_relative "../compression/#{FILES.fetch(name)}"
          end
        end

        def self.require_gem(name)
          case name
          when :zstd then Optional.gem("zstd-ruby", ">= 1.5.6", for: "`compress zstd`")
          when :br then Optional.gem("brotli", ">= 0.6", for: "`compress br`")
          end
        end
        private_class_method :require_gem

        # The encoder of a coding that is loaded. `jitter`: see {Gzip}.
        def self.build(name, jitter)
          case name
          when :gzip then Gzip.new(jitter)
          when :br then Brotli.new
          when :zstd then Zstd.new
          end
        end
      end
    end
  end
end

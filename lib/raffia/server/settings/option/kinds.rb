# frozen_string_literal: true

module Raffia
  class Server
    # How a value is read, be it a word of the command line, an argument in raffia.rb or a keyword
    # in a program. Each returns the value or raises ArgumentError with what would do.
    #
    # @api private
    module Kinds
      # What switches off a limit, in text.
      NONE = %w[off none never false unlimited].freeze
      SECONDS = {"ms" => 0.001, "s" => 1, "" => 1, "m" => 60, "min" => 60, "h" => 3600}.freeze
      BYTES = {"" => 1, "b" => 1, "k" => 1 << 10, "kb" => 1 << 10, "m" => 1 << 20, "mb" => 1 << 20,
               "g" => 1 << 30, "gb" => 1 << 30}.freeze
      FLAGS = {"true" => true, "on" => true, "yes" => true, "1" => true, "false" => false,
               "off" => false, "no" => false, "0" => false}.freeze
      # What each takes, for help texts.
      PLACEHOLDERS = {count: "N", threads: "N", limit: "N", workers: "N|auto", ractors: "N|auto",
                      seconds: "SECONDS", bytes: "BYTES", path: "FILE", paths: "FILE",
                      uris: "URI", uri: "URI", string: "NAME", port: "PORT", log: "FILE"}.freeze
      private_constant :NONE, :SECONDS, :BYTES, :FLAGS

      module_function

      # @return [Integer, Symbol] how many, or :auto
      def workers(value)
        if value.to_s == "auto"
          :auto
        else
          integer(value, 0, "use auto, 0 (no processes beside this one) or a number of them")
        end
      end

      # @return [Integer, Symbol] how many, or :auto
      def ractors(value)
        (value.to_s == "auto") ? :auto : integer(value, 0, "use auto, 0 (none) or a number of them")
      end

      # @return [Integer]
      def threads(value) = integer(value, 1, "use a whole number from 1 up")

      def count(value) = integer(value, 0, "use a whole number")

      # @return [Integer, nil] nil: no limit
      def limit(value)
        none?(value) ? nil : integer(value, 1, "use a whole number from 1 up, or off")
      end

      def port(value)
        integer(value, 0, "use a port, 0 to 65535")
          .tap { |port| raise ArgumentError, "use a port, 0 to 65535" if port > 65_535 }
      end

      # @return [Float, Integer, nil] nil: no limit
      def seconds(value)
        return if none?(value)

        scaled(value, SECONDS) or
          raise ArgumentError, "use seconds, such as 30, 0.5 or \"2m\", or off"
      end

      # @return [Integer, nil] nil: no limit
      def bytes(value)
        return if none?(value)

        scaled(value, BYTES)&.to_i or
          raise ArgumentError, "use a number of bytes, such as 65536, \"64k\" or \"50m\", or off"
      end

      def flag(value)
        FLAGS.fetch(value.to_s) { raise ArgumentError, "use true or false" }
      end

      # @return [Boolean, Symbol] :auto or the flag
      def flag_or_auto(value) = (value.to_s == "auto") ? :auto : flag(value)

      def string(value)
        raise ArgumentError, "say something" if value.to_s.empty?

        value.to_s.dup.freeze
      end

      # @return [String, nil] from the root: an application may go to another folder when it is
      #   loaded
      def path(value) = none?(value) ? nil : ::File.expand_path(string(value)).freeze

      def paths(value) = Array(value).map { |each| path(each) }.freeze

      def uri(value) = none?(value) ? nil : string(value)

      def uris(value) = Array(value).map { |each| string(each) }.freeze

      # @return [String, nil] a path, - for the standard streams, nil for none
      def log(value) = (value == true || value == "-") ? "-" : path(value)

      def none?(value) = value.nil? || value == false || NONE.include?(value)

      def integer(value, least, advice)
        number = value.is_a?(Numeric) ? value : Integer(value.to_s, 10, exception: false)
        raise ArgumentError, advice unless number.is_a?(Integer) && number >= least

        number
      end

      def scaled(value, units)
        unless value.is_a?(String)
          return (value if value.is_a?(Numeric) && value.positive? && value.to_f.finite?)
        end

        number, unit = value.downcase.match(/\A(\d+(?:\.\d+)?)\s*([a-z]*)\z/)&.captures
        factor = units[unit] or return
        scaled = (number.include?(".") ? number.to_f : number.to_i) * factor
        scaled if scaled.positive? && scaled.to_f.finite?
      end
    end
    private_constant :Kinds
  end
end

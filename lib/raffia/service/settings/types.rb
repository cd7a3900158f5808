# frozen_string_literal: true

module Raffia
  module Service
    class Settings
      # Types of settings. Each method converts text or a Ruby value, and raises ArgumentError with
      # advice.
      #
      # @api private
      module Types
        # Words that switch off a limit.
        NONE = %w[off none never false unlimited].freeze
        SECONDS = {"ms" => 0.001, "s" => 1, "" => 1, "m" => 60, "min" => 60, "h" => 3600}.freeze
        BYTES = {"" => 1, "b" => 1, "k" => 1 << 10, "kb" => 1 << 10, "m" => 1 << 20,
                 "mb" => 1 << 20, "g" => 1 << 30, "gb" => 1 << 30}.freeze
        FLAGS = {"true" => true, "on" => true, "yes" => true, "1" => true,
                 "false" => false, "off" => false, "no" => false, "0" => false}.freeze
        # Placeholders in help texts.
        PLACEHOLDERS = {count: "N", threads: "N", limit: "N", workers: "N|auto", ractors: "N|auto",
                        elastic_workers: "N|auto", elastic_threads: "N|MIN..MAX",
                        seconds: "SECONDS", duration: "SECONDS", bytes: "BYTES", path: "FILE",
                        paths: "FILE", uris: "URI", uri: "URI", string: "NAME", strings: "NAME",
                        port: "PORT", log: "FILE", codings: "NAMES"}.freeze
        # Types of which several values count.
        LISTS = %i[uris paths strings codings status_files list].freeze
        CODINGS = %i[zstd br gzip].freeze
        private_constant :NONE, :SECONDS, :BYTES, :FLAGS, :CODINGS

        module_function

        def workers(value)
          (value.to_s == "auto") ? :auto :
            integer(value, 0, "use auto, 0 (no processes beside this one) or a number of them")
        end

        def elastic_workers(value) = range(value, 256) || workers(value)

        def elastic_threads(value) = range(value, 1_000) || threads(value)

        def ractors(value)
          (value.to_s == "auto") ? :auto :
            integer(value, 0, "use auto, 0 (none) or a number of them")
        end

        def threads(value) = integer(value, 1, "use a whole number from 1 up")

        def count(value) = integer(value, 0, "use a whole number from 0 up")

        def limit(value)
          none?(value) ? nil : integer(value, 1, "use a whole number from 1 up, or off")
        end

        def port(value)
          port = integer(value, 0, advice = "use a port, 0 to 65535")
          (port > 65_535) ? raise(ArgumentError, advice) : port
        end

        def seconds(value)
          return if none?(value)

          scale(value, SECONDS) or
            raise ArgumentError, "use seconds, such as 30, 0.5 or \"2m\", or off"
        end

        def duration(value)
          number = value.is_a?(Numeric) ? value : Float(value.to_s, exception: false)
          return number if number && number >= 0 && number.to_f.finite?

          raise ArgumentError, "use seconds, such as 30 or 0.5"
        end

        def bytes(value)
          return if none?(value)

          scale(value, BYTES)&.to_i or
            raise ArgumentError, "use bytes, such as 512m, 64k or 65536, or off"
        end

        def flag(value) = FLAGS.fetch(value.to_s) { raise ArgumentError, "use true or false" }

        def flag_or_auto(value) = (value.to_s == "auto") ? :auto : flag(value)

        def string(value)
          raise ArgumentError, "say something" if value.to_s.empty?

          value.to_s.dup.freeze
        end

        def strings(value) = Array(value).map { |each| string(each) }.freeze

        # Absolute: an application may change the working directory.
        def path(value) = none?(value) ? nil : ::File.expand_path(string(value)).freeze

        def paths(value) = Array(value).map { |each| path(each) }.freeze

        def uri(value) = none?(value) ? nil : string(value)

        def uris(value) = strings(value)

        # Statuses and absolute paths, as Strings with an equals sign.
        def status_files(value)
          Array(value).map { |each|
            status, path = each.to_s.match(/\A([45]\d\d)=(.+)\z/m)&.captures
            raise ArgumentError, "use a status and a file, such as 503=public/503.html" unless path

            "#{status}=#{::File.expand_path(path)}".freeze
          }.freeze
        end

        # Content codings, as a list or as text with commas.
        def codings(value)
          names = Array(value).flat_map { |each| none?(each) ? [] : each.to_s.split(/[,\s]+/) }
          names.uniq.map { |name|
            CODINGS.find { |coding| coding.to_s == name } or
              raise ArgumentError, "use some of #{CODINGS.join(", ")}, or off"
          }.freeze
        end

        # "-" for standard streams, nil for none.
        def log(value) = (value == true || value == "-") ? "-" : path(value)

        # Its user checks the values.
        def list(value) = value

        def object(value) = value

        def none?(value) = value.nil? || value == false || NONE.include?(value)

        def integer(value, least, advice)
          number = value.is_a?(Numeric) ? value : Integer(value.to_s, 10, exception: false)
          raise ArgumentError, advice unless number.is_a?(Integer) && number >= least

          number
        end

        # nil for what is no range. A range of one number is that number.
        def range(value, most)
          first, last = ends(value)
          return if first.nil? && last.nil?

          if [first, last].all?(Integer) && first.between?(1, last) && last <= most
            return (first == last) ? first : first..last
          end

          raise ArgumentError, "use a range within 1..#{most}, such as 2..16"
        end

        def ends(value)
          return [value.begin, value.end] if value.is_a?(::Range) && !value.exclude_end?

          value.to_s.match(/\A(\d+)(\.{2,3})(\d+)\z/) do |match|
            [match[1].to_i, match[3].to_i - match[2].size + 2]
          end
        end

        def scale(value, units)
          return (value if value.is_a?(Numeric) && finite?(value)) unless value.is_a?(String)

          number, unit = value.downcase.match(/\A(\d+(?:\.\d+)?)\s*([a-z]*)\z/)&.captures
          factor = units[unit] or return
          scaled = (number.include?(".") ? number.to_f : number.to_i) * factor
          scaled if finite?(scaled)
        end

        def finite?(number) = number.positive? && number.to_f.finite?
      end
      private_constant :Types
    end
  end
end

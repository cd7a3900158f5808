# frozen_string_literal: true

require "json"

module Raffia
  class Server
    class AccessLog
      # What a line is made of.
      #
      # @!attribute [r] duration
      #   @return [Integer] microseconds
      # @!attribute [r] queued
      #   @return [Integer] microseconds; negative when not known
      Entry = ::Struct.new(:env, :id, :status, :sent, :duration, :queued)

      # The line that log analysers know ("combined"), and behind it the seconds that the request
      # took, those that it waited before, and its id.
      #
      #   127.0.0.1 - - [21/Nov/2026:15:00:00 +0000] "GET /a?b=1 HTTP/1.1" 200 512 "-" "curl/8.5"
      #   0.003 0.000 4f1a-7
      #
      # @api private
      class Combined
        # Anything else could be taken for the end of a field or of the line, or act on a terminal.
        STRANGE = /[^ !#-\[\]-~]/
        private_constant :STRANGE

        def initialize
          @second = 0
        end

        # The parser lets nothing strange into methods and protocols.
        # @param out [String] to which the line is appended
        def write(out, entry, now = Time.now)
          env = entry.env
          out <<
            "#{env["REMOTE_ADDR"] || "-"} - " \
            "#{plain(env["REMOTE_USER"])}#{stamp(now)}\"#{env["REQUEST_METHOD"] || "-"} " \
            "#{plain(AccessLog.target(env))} " \
            "#{env["SERVER_PROTOCOL"] || "-"}\" #{entry.status} #{entry.sent} " \
            "\"#{plain(env["HTTP_REFERER"])}\" \"#{plain(env["HTTP_USER_AGENT"])}\" " \
            "#{AccessLog.seconds(entry.duration)} " \
            "#{(entry.queued < 0) ? "-" : AccessLog.seconds(entry.queued)} #{entry.id}\n"
        end

        private

        def stamp(now)
          return @stamp if now.to_i == @second

          @second = now.to_i
          @stamp = now.strftime(" [%d/%b/%Y:%H:%M:%S %z] ").freeze
        end

        def plain(text)
          text = text.to_s # what an app has put there may be anything
          return "-" if text.empty?

          if text.ascii_only? && !text.match?(STRANGE)
            text
          else
            text.b.gsub(STRANGE) { |byte| format('\x%02X', byte.ord) }
          end
        end
      end

      # One JSON object a line, times in seconds.
      #
      # @api private
      class Json
        # What needs no thought.
        PLAIN = /\A[ !#-\[\]-~]*\z/
        FIELDS = {remote: "REMOTE_ADDR", user: "REMOTE_USER", method: "REQUEST_METHOD",
                  protocol: "SERVER_PROTOCOL", host: "HTTP_HOST",
                  referer: "HTTP_REFERER", agent: "HTTP_USER_AGENT",
                  forwarded: "HTTP_X_FORWARDED_FOR"}.to_h { |name, key| [",\"#{name}\":", key] }
          .freeze
        private_constant :PLAIN, :FIELDS

        def initialize
          @second = 0
        end

        # @param out [String] to which the line is appended
        def write(out, entry, now = Time.now)
          env = entry.env
          out <<
            "{\"time\":\"#{stamp(now)}\",\"id\":#{quote(entry.id)},\"target\":#{quote(AccessLog.target(env))}"
          FIELDS.each { |name, key| (text = env[key]) and out << name << quote(text) }
          out <<
            ",\"status\":#{entry.status},\"bytes\":#{entry.sent},\"duration\":#{AccessLog.seconds(entry.duration)}" \
            "#{",\"queued\":#{AccessLog.seconds(entry.queued)}" unless entry.queued < 0}}\n"
        end

        private

        def stamp(now)
          if now.to_i != @second
            @second = now.to_i
            @stamp = now.utc.strftime("%FT%T.").freeze
          end
          "#{@stamp}#{(now.nsec / 1_000_000).to_s.rjust(3, "0")}Z"
        end

        # In binary, as the buffer: lines of several encodings would not fit together.
        def quote(text)
          if (text = text.to_s).ascii_only? && text.match?(PLAIN)
            "\"#{text}\""
          else
            ::JSON.generate(text.dup.force_encoding(Encoding::UTF_8).scrub).b
          end
        end
      end

      # @return [String] what was asked for, before anybody took it apart
      def self.target(env)
        env["REQUEST_URI"] ||
          (env["QUERY_STRING"].to_s.empty? ? "#{env["SCRIPT_NAME"]}#{env["PATH_INFO"]}" :
            "#{env["SCRIPT_NAME"]}#{env["PATH_INFO"]}?#{env["QUERY_STRING"]}")
      end

      # In front of so many digits.
      ZEROS = Array.new(7) { |size| "0.#{"0" * (6 - size)}".freeze }.freeze
      private_constant :ZEROS

      # @return [String] with six digits behind the point, without going through a Float
      def self.seconds(microseconds)
        digits = microseconds.to_s
        size = digits.size
        (size <= 6) ? "#{ZEROS[size]}#{digits}" : "#{digits[0, size - 6]}.#{digits[-6, 6]}"
      end
    end
  end
end

# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      class AccessLog
        # Writes the "combined" line of web servers, then the seconds of the request, those that it
        # waited before, and its id.
        #
        #   127.0.0.1 - - [21/Nov/2026:15:00:00 +0000] "GET /a?b=1 HTTP/1.1" 200 512 "-" "curl/8.5"
        #   0.003 0.000 4f1a-7
        #
        # @api private
        class CombinedFormat
          # Bytes that could end a field or a line, or control a terminal.
          UNSAFE = /[^ !#-\[\]-~]/
          private_constant :UNSAFE

          def initialize
            @second = 0
          end

          # Appends a line. The parser allows only tokens in methods and protocols: no need to
          # escape.
          def write(out, entry, now = Time.now)
            env = entry.env
            out <<
              "#{env["REMOTE_ADDR"] || "-"} - #{escape(env["REMOTE_USER"])}#{timestamp(now)}" \
              "\"#{env["REQUEST_METHOD"] || "-"} #{escape(entry.target)} " \
              "#{env["SERVER_PROTOCOL"] || "-"}\" #{entry.status} #{entry.sent} " \
              "\"#{escape(env["HTTP_REFERER"])}\" \"#{escape(env["HTTP_USER_AGENT"])}\" " \
              "#{entry.duration_text} #{entry.queued_text || "-"} #{entry.id}\n"
          end

          private

          def timestamp(now)
            return @timestamp if now.to_i == @second

            @second = now.to_i
            @timestamp = now.strftime(" [%d/%b/%Y:%H:%M:%S %z] ").freeze
          end

          def escape(text)
            text = text.to_s # an application may put any object into env
            return "-" if text.empty?
            return text if text.ascii_only? && !text.match?(UNSAFE)

            text.b.gsub(UNSAFE) { |byte| format('\x%02X', byte.ord) }
          end
        end
      end
    end
  end
end

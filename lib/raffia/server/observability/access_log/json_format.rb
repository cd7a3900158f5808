# frozen_string_literal: true

require "json"

module Raffia
  class Server
    module Observability
      class AccessLog
        # Writes a JSON object per line. Times are in seconds.
        #
        # @api private
        class JSONFormat
          PLAIN = /\A[ !#-\[\]-~]*\z/
          FIELDS = {
            remote: "REMOTE_ADDR", user: "REMOTE_USER", method: "REQUEST_METHOD",
            protocol: "SERVER_PROTOCOL", host: "HTTP_HOST", referer: "HTTP_REFERER",
            agent: "HTTP_USER_AGENT", forwarded: "HTTP_X_FORWARDED_FOR"
          }.to_h { |name, key| [",\"#{name}\":", key] }.freeze
          private_constant :PLAIN, :FIELDS

          def initialize
            @second = 0
          end

          def write(out, entry, now = Time.now)
            env = entry.env
            out << "{\"time\":\"#{timestamp(now)}\",\"id\":#{quote(entry.id)}," \
              "\"target\":#{quote(entry.target)}"
            FIELDS.each { |name, key| (text = env[key]) and out << name << quote(text) }
            out << ",\"status\":#{entry.status},\"bytes\":#{entry.sent}," \
              "\"duration\":#{entry.duration_text}"
            (queued = entry.queued_text) and out << ",\"queued\":" << queued
            out << "}\n"
          end

          private

          def timestamp(now)
            if now.to_i != @second
              @second = now.to_i
              @timestamp = now.utc.strftime("%FT%T.").freeze
            end
            "#{@timestamp}#{(now.nsec / 1_000_000).to_s.rjust(3, "0")}Z"
          end

          # The buffer is binary, because lines may differ in encoding.
          def quote(text)
            text = text.to_s
            return "\"#{text}\"" if text.ascii_only? && text.match?(PLAIN)

            ::JSON.generate(text.dup.force_encoding(Encoding::UTF_8).scrub).b
          end
        end
      end
    end
  end
end

# frozen_string_literal: true

require "json"

module Raffia
  module Jobs
    class Web
      # Builds responses, with security headers.
      # @api private
      module Response
        # Allows own files only, nothing inline, no frames. The referrer stays within the origin;
        # without one, forms would send `Origin: null`, which {OriginCheck} refuses.
        SECURITY = {
          "content-security-policy" =>
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " \
            "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
          "x-frame-options" => "DENY",
          "x-content-type-options" => "nosniff",
          "referrer-policy" => "same-origin",
          "cross-origin-opener-policy" => "same-origin",
          "cross-origin-resource-policy" => "same-origin"
        }.freeze
        HEADERS = {**SECURITY, "cache-control" => "no-store", "vary" => "accept"}.freeze

        module_function

        def html(status, text)
          [status, {**HEADERS, "content-type" => "text/html; charset=utf-8"}, [text]]
        end

        def json(status, data)
          [status, {**HEADERS, "content-type" => "application/json"}, [generate(data)]]
        end

        def text(status, text, headers = {})
          [status, {**HEADERS, "content-type" => "text/plain; charset=utf-8", **headers},
            ["#{text}\n"]]
        end

        # After a change: the outcome for programs, a redirect for people.
        def outcome(page, outcome)
          if page.request.api?
            return json(200, {"done" => outcome.done, "changed" => outcome.count})
          end

          location = page.path(outcome.to, **outcome.query, done: outcome.done,
            count: outcome.count)
          [303, {**HEADERS, "location" => location}, []]
        end

        def generate(data)
          JSON.generate(data, max_nesting: 0)
        rescue JSON::GeneratorError
          JSON.generate(plain(data), max_nesting: 0)
        end

        # Replaces invalid strings and infinite numbers, which JSON cannot represent.
        def plain(data)
          case data
          when Hash then data.to_h { |name, value| [plain(name), plain(value)] }
          when Array then data.map { |value| plain(value) }
          when String then data.dup.force_encoding(Encoding::UTF_8).scrub
          when Float then data.finite? ? data : data.to_s
          else data
          end
        end
      end
    end
  end
end

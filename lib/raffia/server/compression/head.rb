# frozen_string_literal: true

module Raffia
  class Server
    class Compression
      # The fields of a response that decide about its compression, and their change.
      #
      # @api private
      class Head
        # Names as Rack 3 and Rack 2 write them.
        names = %w[content-type content-length content-encoding content-range cache-control etag
          vary accept-ranges content-md5 digest content-digest repr-digest rack.hijack
          rack.protocol]
        FIELDS = ::Ractor.make_shareable(names.flat_map { |name|
          [name, name.split("-").map(&:capitalize).join("-")].map { |written| [written, name] }
        }.to_h.merge("ETag" => "etag", "Content-MD5" => "content-md5"))
        # They are about the bytes of the plain body.
        OF_PLAIN = %w[content-length accept-ranges content-md5 digest content-digest
          repr-digest].freeze
        # Fields that a 304 does not need.
        OF_CONTENT = %w[content-type content-length].freeze
        TOKEN = "accept-encoding"
        # An entity tag (RFC 9110, 8.8.3), which may have commas.
        TAG = %r{(?:W/)?"[^"]*"}
        private_constant :FIELDS, :OF_PLAIN, :OF_CONTENT, :TOKEN, :TAG

        def initialize(headers)
          @headers = headers
          @names = {}
          headers.each_key { |name| (field = field_of(name)) && @names[field] = name }
        end

        # Text; several values are joined.
        def [](field)
          name = @names[field] or return
          value = @headers[name]
          value.is_a?(::Array) ? value.join(", ") : value&.to_s
        end

        # Whether the body may be changed at all.
        def transformable?
          !(@names.key?("content-encoding") || @names.key?("content-range") ||
            @names.key?("rack.hijack") || @names.key?("rack.protocol")) &&
            !self["cache-control"]&.match?(/no-transform/i)
        end

        # A new Hash with `vary`.
        def varied
          vary = self["vary"].to_s
          return @headers if vary.split(/[\s,]+/).any? { |one| one == "*" || one.casecmp?(TOKEN) }

          with("vary", vary.empty? ? TOKEN : "#{vary}, #{TOKEN}")
        end

        # A new Hash for a body in the coding of that name; `length`: bytes; nil: not known.
        def coded(name, length)
          headers = without(varied, OF_PLAIN)
          headers["content-encoding"] = name
          headers["content-length"] = length.to_s if length
          headers[@names["etag"]] = weak_tag if strong_tag?
          headers
        end

        # A new Hash for a response 304 to a client that has the coded body.
        def not_modified
          headers = without(varied, OF_CONTENT)
          headers[@names["etag"]] = weak_tag
          headers
        end

        # Whether the client has the body in a coding: it sends the tag that {coded} has made.
        def known?(tags)
          !tags.nil? && strong_tag? && tags.scan(TAG).include?(weak_tag)
        end

        private

        # Applications may write names in any case.
        def field_of(name)
          FIELDS[name] || (FIELDS[name.downcase] if name.is_a?(::String) && name.match?(/[A-Z]/))
        end

        def strong_tag? = !!self["etag"]&.start_with?("\"")

        def weak_tag = "W/#{self["etag"]}"

        def with(field, value) = {**@headers, @names[field] || field => value}

        def without(headers, fields)
          names = fields.filter_map { |field| @names[field] }
          headers.equal?(@headers) ? headers.to_h.except(*names) : headers.except(*names)
        end
      end
    end
  end
end

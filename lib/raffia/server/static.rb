# frozen_string_literal: true

require "time"
require_relative "static/representation"
require_relative "static/file_body"
require_relative "static/media_types"
require_relative "static/byte_range"
require_relative "static/path_resolver"

module Raffia
  class Server
    # Serves the files of a folder, as a Rack app or as a middleware that passes on what it does not
    # have.
    #
    # Files are sent by sendfile(2) where the connection allows that. There are ETag and
    # Last-Modified, single ranges, and `.br` and `.gz` files that lie beside a file are sent in its
    # place to who takes them. What begins with a dot is not served, but for `.well-known`; and
    # nothing that a symbolic link brings in from outside of the folder.
    #
    # @example in config.ru
    #   use Raffia::Server::Static, root: "public", mount: "/assets", headers: {"cache-control" =>
    #   "public, max-age=31536000, immutable"}
    class Static
      # @param app [#call, nil] who is asked for what is not there; nil: it is a 404
      # @param root [String] the folder
      # @param mount [String] the path that stands for it
      # @param index [String, nil] what is sent for a folder
      # @param headers [Hash{String => String}] for each response with a file
      # @param precompressed [Boolean] whether to look for `.br` and `.gz`
      # @raise [ConfigError] when there is no such folder
      def initialize(app = nil, root:, mount: "/", index: "index.html", headers: {},
        precompressed: true)
        @app = app
        @shelf = PathResolver.new(root, index)
        @mount = mount.delete_suffix("/")
        @headers = headers.transform_keys(&:downcase).freeze
        @precompressed = precompressed
      end

      # As Rack has it.
      def call(env)
        path = within(env["PATH_INFO"]) or return elsewhere(env)
        method = env["REQUEST_METHOD"]
        return elsewhere(env, 405) unless method == "GET" || method == "HEAD"

        found = @shelf.find(path) or return elsewhere(env)
        return redirect(env) if found == :folder

        serve(env, found)
      end

      private

      def within(path)
        return unless path.start_with?(@mount)

        rest = path.byteslice(@mount.bytesize..)
        rest if rest.start_with?("/")
      end

      def elsewhere(env, status = 404)
        return @app.call(env) if @app
        if status == 405
          return [405, {"allow" => "GET, HEAD", "content-type" => "text/plain"},
            ["Method Not Allowed\n"]]
        end

        [404, {"content-type" => "text/plain"}, ["Not Found\n"]]
      end

      # With the slash, so that links in the folder's page lead somewhere.
      def redirect(env)
        query = env["QUERY_STRING"].to_s
        [301,
          {"location" => "#{env["SCRIPT_NAME"]}#{env["PATH_INFO"]}/#{"?#{query}" unless query.empty?}"}, []]
      end

      def serve(env, path)
        choice = Representation.new(path, @precompressed ? env["HTTP_ACCEPT_ENCODING"] : nil)
        file = choice.open or return elsewhere(env)
        headers = headers_of(path, choice)
        return [304, headers.except("content-type"), file.close || []] if choice.known?(env)

        respond(env, file, choice, headers)
      end

      def headers_of(path, choice)
        {
          "content-type" => MediaTypes.of(path), "last-modified" => choice.modified,
          "etag" => choice.etag, "accept-ranges" => "bytes",
          **(@precompressed ? {"vary" => "accept-encoding"} : {}), **choice.encoding, **@headers
        }
      end

      def respond(env, file, choice, headers)
        range = ByteRange.of(env, choice)
        return whole(file, choice, headers) unless range
        return partial(file, choice, headers, range) unless range.empty?

        file.close
        [416, {"content-range" => "bytes */#{choice.size}", "content-type" => "text/plain"},
          ["Range Not Satisfiable\n"]]
      end

      def whole(file, choice, headers)
        headers["content-length"] = choice.size.to_s
        [200, headers, FileBody.new(file, 0, choice.size)]
      end

      def partial(file, choice, headers, range)
        headers["content-length"] = range.size.to_s
        headers["content-range"] = "bytes #{range.from}-#{range.from + range.size - 1}/#{choice.size}"
        [206, headers, FileBody.new(file, range.from, range.size)]
      end
    end
  end
end

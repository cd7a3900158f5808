# frozen_string_literal: true

require "time"
require_relative "static/representation"
require_relative "static/file_body"
require_relative "static/media_types"
require_relative "static/byte_range"
require_relative "static/path_resolver"

module Raffia
  class Server
    # Serves the files of a folder, as a Rack application or as a middleware.
    #
    # Uses sendfile(2) where the connection allows it, with ETag, Last-Modified and single ranges.
    # Sends a `.br`, `.zst` or `.gz` file instead to clients that accept it. Does not serve hidden files,
    # except `.well-known`, nor symbolic links to the outside.
    #
    # @example in config.ru
    #   use Raffia::Server::Static, root: "public", mount: "/assets", headers: {"cache-control" =>
    #   "public, max-age=31536000, immutable"}
    class Static
      # @param app [#call, nil] called for paths that are not found; nil: 404
      # @param index [String, nil] file sent for a folder
      # @param headers [Hash{String => String}] of each response with a file
      # @param precompressed [Boolean] whether to look for `.br`, `.zst` and `.gz`
      # @raise [ConfigError] when there is no such folder
      def initialize(app = nil, root:, mount: "/", index: "index.html", headers: {},
        precompressed: true)
        @app = app
        @files = PathResolver.new(root, index)
        @mount = mount.delete_suffix("/")
        @headers = headers.transform_keys(&:downcase).freeze
        @precompressed = precompressed
      end

      # @return [Array] a Rack response
      def call(env)
        path = within(env["PATH_INFO"]) or return pass_on(env)
        method = env["REQUEST_METHOD"]
        return pass_on(env, 405) unless method == "GET" || method == "HEAD"

        found = @files.find(path) or return pass_on(env)
        return redirect(env) if found == :folder

        serve(env, found)
      end

      private

      def within(path)
        return unless path.start_with?(@mount)

        rest = path.byteslice(@mount.bytesize..)
        rest if rest.start_with?("/")
      end

      def pass_on(env, status = 404)
        return @app.call(env) if @app
        return text(404, "Not Found") if status == 404

        text(405, "Method Not Allowed", "allow" => "GET, HEAD")
      end

      def text(status, reason, headers = {})
        [status, {**headers, "content-type" => "text/plain"}, ["#{reason}\n"]]
      end

      # Relative links in the folder's page need the slash.
      def redirect(env)
        query = env["QUERY_STRING"].to_s
        query = "?#{query}" unless query.empty?
        [301, {"location" => "#{env["SCRIPT_NAME"]}#{env["PATH_INFO"]}/#{query}"}, []]
      end

      def serve(env, path)
        representation = Representation.new(path,
          @precompressed ? env["HTTP_ACCEPT_ENCODING"] : nil)
        file = representation.open or return pass_on(env)
        headers = headers_of(path, representation)
        if representation.current?(env)
          return [304, headers.except("content-type"), file.close || []]
        end

        respond(env, file, representation, headers)
      end

      def headers_of(path, representation)
        {
          "content-type" => MediaTypes.of(path), "last-modified" => representation.modified,
          "etag" => representation.etag, "accept-ranges" => "bytes",
          **(@precompressed ? {"vary" => "accept-encoding"} : {}), **representation.encoding,
          **@headers
        }
      end

      def respond(env, file, representation, headers)
        range = ByteRange.of(env, representation)
        return whole(file, representation, headers) unless range
        return partial(file, representation, headers, range) unless range.empty?

        file.close
        text(416, "Range Not Satisfiable", "content-range" => "bytes */#{representation.size}")
      end

      def whole(file, representation, headers)
        headers["content-length"] = representation.size.to_s
        [200, headers, FileBody.new(file, 0, representation.size)]
      end

      def partial(file, representation, headers, range)
        headers["content-length"] = range.size.to_s
        last = range.from + range.size - 1
        headers["content-range"] = "bytes #{range.from}-#{last}/#{representation.size}"
        [206, headers, FileBody.new(file, range.from, range.size)]
      end
    end
  end
end

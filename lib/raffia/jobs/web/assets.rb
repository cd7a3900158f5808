# frozen_string_literal: true

require "digest"
require_relative "../../charts"
require_relative "response"

module Raffia
  module Jobs
    class Web
      # Scripts, styles and images. Each path contains the file's digest, so that browsers may cache
      # it for ever.
      # @api private
      module Assets
        FOLDER = "/assets/"
        TYPES = {".css" => "text/css; charset=utf-8", ".js" => "text/javascript; charset=utf-8",
                 ".svg" => "image/svg+xml"}.freeze
        KEPT = {**Response::SECURITY,
          "cache-control" => "private, max-age=31536000, immutable"}.freeze

        Asset = Data.define(:path, :type, :body, :integrity)

        # By file name.
        FILES = [*Dir[File.join(__dir__, "assets", "*.{css,js,svg}")].sort,
          Charts::CSS].to_h { |file|
          body = File.binread(file)
          digest = Digest::SHA256.digest(body)
          type = File.extname(file)
          path = "#{FOLDER}#{File.basename(file, type)}-#{digest.unpack1("H*")[0, 16]}#{type}"
          [File.basename(file).freeze,
            Asset.new(path: path.freeze, type: TYPES.fetch(type), body: body.freeze,
              integrity: "sha256-#{[digest].pack("m0")}".freeze)]
        }.freeze
        PATHS = FILES.each_value.to_h { |asset| [asset.path, asset] }.freeze
        private_constant :PATHS

        module_function

        # A Rack response.
        def reply(path)
          asset = PATHS[path] or return Response.text(404, "There is no such file.")
          [200, {**KEPT, "content-type" => asset.type,
                         "content-length" => asset.body.bytesize.to_s}, [asset.body]]
        end
      end
    end
  end
end

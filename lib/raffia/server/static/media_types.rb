# frozen_string_literal: true

module Raffia
  class Server
    class Static
      # Media types by file extension.
      #
      # @api private
      module MediaTypes
        extensions = {
          "text/html" => %w[html htm], "text/css" => %w[css], "text/plain" => %w[txt],
          "text/markdown" => %w[md], "text/csv" => %w[csv], "text/javascript" => %w[js mjs],
          "application/json" => %w[json map], "application/manifest+json" => %w[webmanifest],
          "application/xml" => %w[xml], "application/rss+xml" => %w[rss],
          "application/atom+xml" => %w[atom], "image/svg+xml" => %w[svg], "image/png" => %w[png],
          "image/jpeg" => %w[jpg jpeg], "image/gif" => %w[gif], "image/webp" => %w[webp],
          "image/avif" => %w[avif], "image/x-icon" => %w[ico], "image/bmp" => %w[bmp],
          "image/tiff" => %w[tif tiff], "font/woff" => %w[woff], "font/woff2" => %w[woff2],
          "font/ttf" => %w[ttf], "font/otf" => %w[otf], "audio/mpeg" => %w[mp3],
          "audio/ogg" => %w[ogg oga opus], "audio/wav" => %w[wav], "audio/flac" => %w[flac],
          "audio/mp4" => %w[m4a], "video/mp4" => %w[mp4 m4v], "video/webm" => %w[webm],
          "video/ogg" => %w[ogv], "video/quicktime" => %w[mov],
          "application/vnd.apple.mpegurl" => %w[m3u8], "video/mp2t" => %w[ts],
          "application/pdf" => %w[pdf], "application/wasm" => %w[wasm],
          "application/zip" => %w[zip], "application/gzip" => %w[gz],
          "application/x-tar" => %w[tar], "application/x-7z-compressed" => %w[7z],
          "application/epub+zip" => %w[epub], "text/calendar" => %w[ics], "text/vtt" => %w[vtt],
          "application/yaml" => %w[yaml yml]
        }
        # Text is served as UTF-8.
        TABLE = ::Ractor.make_shareable(extensions.flat_map { |type, names|
          type += "; charset=utf-8" if type.start_with?("text/")
          names.map { |name| [".#{name}", type] }
        }.to_h)
        UNKNOWN = "application/octet-stream"
        private_constant :TABLE, :UNKNOWN

        def self.of(path) = TABLE.fetch(::File.extname(path).downcase, UNKNOWN)
      end
    end
  end
end

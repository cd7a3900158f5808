# frozen_string_literal: true

module Raffia
  class Server
    class Static
      # Media types by file extension.
      #
      # @api private
      module MediaTypes
        TEXT = "; charset=utf-8"
        UNKNOWN = "application/octet-stream"
        TABLE = ::Ractor.make_shareable({
          ".html" => "text/html#{TEXT}", ".htm" => "text/html#{TEXT}", ".css" => "text/css#{TEXT}",
          ".txt" => "text/plain#{TEXT}",
          ".md" => "text/markdown#{TEXT}", ".csv" => "text/csv#{TEXT}",
          ".js" => "text/javascript#{TEXT}", ".mjs" => "text/javascript#{TEXT}",
          ".json" => "application/json", ".map" => "application/json",
          ".webmanifest" => "application/manifest+json",
          ".xml" => "application/xml", ".rss" => "application/rss+xml",
          ".atom" => "application/atom+xml", ".svg" => "image/svg+xml",
          ".png" => "image/png", ".jpg" => "image/jpeg", ".jpeg" => "image/jpeg",
          ".gif" => "image/gif", ".webp" => "image/webp",
          ".avif" => "image/avif", ".ico" => "image/x-icon", ".bmp" => "image/bmp",
          ".tif" => "image/tiff", ".tiff" => "image/tiff",
          ".woff" => "font/woff", ".woff2" => "font/woff2", ".ttf" => "font/ttf",
          ".otf" => "font/otf",
          ".mp3" => "audio/mpeg", ".ogg" => "audio/ogg", ".oga" => "audio/ogg",
          ".opus" => "audio/ogg", ".wav" => "audio/wav",
          ".flac" => "audio/flac", ".m4a" => "audio/mp4", ".mp4" => "video/mp4",
          ".m4v" => "video/mp4", ".webm" => "video/webm",
          ".ogv" => "video/ogg", ".mov" => "video/quicktime",
          ".m3u8" => "application/vnd.apple.mpegurl", ".ts" => "video/mp2t",
          ".pdf" => "application/pdf", ".wasm" => "application/wasm", ".zip" => "application/zip",
          ".gz" => "application/gzip",
          ".tar" => "application/x-tar", ".7z" => "application/x-7z-compressed",
          ".epub" => "application/epub+zip",
          ".ics" => "text/calendar#{TEXT}", ".vtt" => "text/vtt#{TEXT}",
          ".yaml" => "application/yaml", ".yml" => "application/yaml"
        })
        private_constant :TEXT, :UNKNOWN, :TABLE

        def self.of(path) = TABLE.fetch(::File.extname(path).downcase, UNKNOWN)
      end
    end
  end
end

# frozen_string_literal: true

require "time"
require_relative "../http/accept_encoding"

module Raffia
  class Server
    class Static
      # The form in which a file is sent: plain or precompressed.
      #
      # @api private
      class Representation
        SUFFIXES = {"br" => ".br", "zstd" => ".zst", "gzip" => ".gz"}.freeze
        # The file does not exist for us. Other errors are raised, because caches keep a 404.
        NOT_FOUND = [Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES, Errno::EPERM, Errno::ELOOP,
          Errno::ENXIO, Errno::ENAMETOOLONG].freeze
        private_constant :SUFFIXES, :NOT_FOUND

        # `accepted`: Accept-Encoding; nil: the plain file only.
        def initialize(path, accepted)
          @path = path
          @codings = accepted ? HTTP::AcceptEncoding.new(accepted).select(SUFFIXES.keys) : []
          @coding = nil
        end

        def open
          @codings.each do |coding|
            file = open_file(@path + SUFFIXES[coding]) or next
            @coding = coding
            return file
          end
          open_file(@path)
        end

        def size = @stat.size

        def modified = @stat.mtime.httpdate

        def etag
          format("\"%x-%x%s\"", @stat.mtime.to_i * 1_000_000_000 + @stat.mtime.nsec, size,
            @coding && "-#{@coding}")
        end

        def encoding = @coding ? {"content-encoding" => @coding} : {}

        # RFC 9110, 13.2.2: If-Modified-Since counts only without If-None-Match.
        def current?(env)
          if (tags = env["HTTP_IF_NONE_MATCH"])
            return tags.strip == "*" ||
                tags.split(",").any? { |tag| tag.strip.delete_prefix("W/") == etag }
          end

          since = time(env["HTTP_IF_MODIFIED_SINCE"])
          !since.nil? && @stat.mtime.to_i <= since.to_i
        end

        # Whether the part that the client has, by If-Range, is of this file.
        def same?(condition)
          return condition == etag if condition.start_with?("\"")

          time(condition)&.to_i == @stat.mtime.to_i
        end

        private

        # Not offloaded: a thread costs more than the open.
        def open_file(path)
          file = Fiber.blocking do
            ::File.open(path, ::File::RDONLY | ::File::NOFOLLOW | ::File::NONBLOCK, binmode: true)
          end
          @stat = file.stat
          return file if @stat.file?

          file.close
          nil
        rescue *NOT_FOUND
          nil
        end

        def time(text)
          text && Time.httpdate(text)
        rescue ArgumentError
          nil
        end
      end
    end
  end
end

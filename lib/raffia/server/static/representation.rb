# frozen_string_literal: true

require "time"

module Raffia
  class Server
    class Static
      # The form in which a file is sent: as it is, or precompressed.
      #
      # @api private
      class Representation
        SUFFIXES = {"br" => ".br", "gzip" => ".gz"}.freeze
        # The file is not there for us. Other errors, such as too many open files, are raised,
        # because caches keep a 404.
        NOT_FOUND = [Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES, Errno::EPERM, Errno::ELOOP,
          Errno::ENXIO, Errno::ENAMETOOLONG].freeze
        private_constant :SUFFIXES, :NOT_FOUND

        # @param accepted [String, nil] Accept-Encoding; nil: the plain file only
        def initialize(path, accepted)
          @path = path
          @codings = accepted ? SUFFIXES.keys.select { |coding| accepts?(accepted, coding) } : []
          @coding = nil
        end

        # @return [File, nil]
        def open
          @codings.each do |coding|
            file = open_file(@path + SUFFIXES[coding]) or next
            @coding = coding
            return file
          end
          open_file(@path)
        end

        # @return [Integer] bytes
        def size = @stat.size

        # @return [String] for Last-Modified
        def modified = @stat.mtime.httpdate

        # @return [String] differs by content and form
        def etag
          format("\"%x-%x%s\"", @stat.mtime.to_i * 1_000_000_000 + @stat.mtime.nsec, size,
            @coding && "-#{@coding}")
        end

        # @return [Hash]
        def encoding = @coding ? {"content-encoding" => @coding} : {}

        # RFC 9110, 13.2.2: If-None-Match counts, and If-Modified-Since only without it.
        # @return [Boolean] whether the client has it
        def current?(env)
          if (tags = env["HTTP_IF_NONE_MATCH"])
            return tags.strip == "*" ||
                tags.split(",").any? { |tag| tag.strip.delete_prefix("W/") == etag }
          end

          since = time(env["HTTP_IF_MODIFIED_SINCE"])
          !since.nil? && @stat.mtime.to_i <= since.to_i
        end

        # @param condition [String] of If-Range
        # @return [Boolean] whether the client's part is of this file
        def same?(condition)
          return condition == etag if condition.start_with?("\"")

          time(condition)&.to_i == @stat.mtime.to_i
        end

        private

        # Not offloaded to a thread, which would cost more than opening.
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

        def accepts?(accepted, coding)
          part = accepted.downcase.split(",").map(&:strip).find { |one| one[/\A[^;\s]+/] == coding }
          part ? !part.match?(/;\s*q=0(?:\.0*)?\s*\z/) : false
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

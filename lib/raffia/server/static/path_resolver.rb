# frozen_string_literal: true

module Raffia
  class Server
    class Static
      # Finds the file for a request's path. Odd paths have none.
      #
      # @api private
      class PathResolver
        # RFC 8615: the only hidden folder that is public.
        WELL_KNOWN = ".well-known"
        private_constant :WELL_KNOWN

        def initialize(root, index)
          @root = ::File.realpath(root)
          unless ::File.directory?(@root)
            raise ConfigError, "#{root} is no folder: files can be served from folders only"
          end

          @within = @root.delete_suffix("/") + "/"
          @index = index
        rescue SystemCallError
          raise ConfigError, "there is no folder #{root} to serve files from"
        end

        # Returns :folder when the path of a folder lacks its last slash.
        def find(path)
          names = names(path) or return
          real = real(::File.join(@root, *names)) or return
          return file(real, path) unless ::File.directory?(real)

          inside = @index && real(::File.join(real, @index)) or return
          return unless ::File.file?(inside)

          path.end_with?("/") ? inside : :folder
        end

        private

        def file(real, path) = (real if ::File.file?(real) && !path.end_with?("/"))

        def names(path)
          decoded = decode(path)
          return if decoded.nil? || decoded.include?("\0") || decoded.include?("\\")

          names = decoded.delete_prefix("/").split("/", -1)
          names.pop if names.last == ""
          unless names.any? { |name| name.empty? || (name.start_with?(".") && name != WELL_KNOWN) }
            names
          end
        end

        def decode(path)
          return path unless path.include?("%")
          return if path.match?(/%(?!\h\h)/)

          decoded = path.b.gsub(/%(\h\h)/) { $1.hex.chr }.force_encoding(Encoding::UTF_8)
          decoded if decoded.valid_encoding?
        end

        # Follows symbolic links; nil outside of the folder.
        def real(path)
          real = ::File.realpath(path)
          real if real == @root || real.start_with?(@within)
        rescue SystemCallError, ArgumentError
          nil
        end
      end
    end
  end
end

# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require_relative "../../base/version"
require_relative "../text"

module Raffia
  module CLI
    class New < Command
      # Writes the templates with the name of the application and the place of raffia.
      #
      # @api private
      class Application
        NAME = /\A[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*\z/
        TEMPLATE = ::File.expand_path("template", __dir__).freeze
        ROOT = ::File.expand_path("../../../..", __dir__).freeze
        private_constant :TEMPLATE, :ROOT

        # path: of a checkout of raffia, or nil.
        def initialize(name, path = nil)
          unless NAME.match?(name)
            raise ConfigError, "#{name.inspect} is no name for an application: use small " \
              "letters, digits, - and _, as in my_app"
          end
          if path && !checkout?(path)
            raise ConfigError, "#{path} is no checkout of raffia: there is no raffia.gemspec in it"
          end

          @name = name
          @path = path ? ::File.expand_path(path) : (ROOT if checkout?(ROOT))
        end

        def write(out)
          make_folder
          files.each do |file|
            FileUtils.mkdir_p(::File.dirname(::File.join(@name, file)))
            ::File.write(::File.join(@name, file), text(file))
            out.puts "wrote #{::File.join(@name, file)}"
          end
          out.puts "", "Next: cd #{@name} && bundle install && bundle exec raffia up",
            *(with_ruby if @path)
        rescue SystemCallError => error
          raise ConfigError, "#{@name} cannot be written: #{Text.reason(error)}"
        end

        private

        # A packed gem has no gemspec in it.
        def checkout?(path) = ::File.exist?(::File.join(path, "raffia.gemspec"))

        def make_folder
          ::Dir.mkdir(@name)
        rescue Errno::EEXIST
          unless ::File.directory?(@name) && ::Dir.empty?(@name)
            raise ConfigError, "#{@name} is there already, and not an empty folder: choose " \
              "another name"
          end
        end

        # A template's dot file has no dot, so that it does not apply here.
        def files
          ::Dir.glob("**/*.tt", base: TEMPLATE).sort
            .map { |file| file.delete_suffix(".tt").sub(/\Adot\./, ".") }
        end

        def text(file)
          template = ::File.read(::File.join(TEMPLATE, "#{file.sub(/\A\./, "dot.")}.tt"),
            encoding: "UTF-8")
          template.gsub("APPLICATION", @name).gsub("GEM", gem_line)
        end

        # The extension of a checkout is built for one Ruby, perhaps not the first in PATH.
        def with_ruby
          "For that the Ruby of this checkout comes first: export " \
            "PATH=#{RbConfig::CONFIG["bindir"]}:$PATH"
        end

        def gem_line
          place = @path ? "path: #{@path.inspect}" : %("~> #{VERSION[/\A\d+\.\d+/]}")
          %(gem "raffia", #{place})
        end
      end
    end
  end
end

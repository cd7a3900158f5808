# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module CLI
    class Run < Command
      # A program in a file. It is compiled, not loaded, because `load` shows it an absolute
      # __FILE__, which differs from $0.
      #
      # @api private
      class Script
        # name: path of the script, "-" for standard input.
        def self.open(name)
          return Stream.new(name) if name == "-"
          raise NotFound.new(name: name) unless File.exist?(name)
          if File.directory?(name)
            raise ConfigError, "#{name} is a directory: give raffia run a Ruby file"
          end
          unless File.readable?(name)
            raise ConfigError, "the script #{name} cannot be read: check its permissions"
          end
          File.file?(name) ? new(name) : Stream.new(name)
        end

        def initialize(name)
          @name = name
        end

        # Becomes the program; arguments are its ARGV.
        def call(arguments)
          ARGV.replace(arguments)
          $PROGRAM_NAME = @name
          # for ps; $0 stays
          ::Process.setproctitle(["raffia", "run", @name, *arguments].join(" "))
          provide_data
          compile.eval
        end

        # Removes the frames below the script's own from the backtraces of an error and its causes.
        def trim(error)
          while error
            error.set_backtrace(own_frames(error)) if error.backtrace && !error.frozen?
            error = error.cause
          end
        end

        private

        # In Ruby 3.4, compile_file still has the old parser, and `ruby` the new one.
        def compile
          prism = RUBY_DESCRIPTION.include?("+PRISM") &&
            RubyVM::InstructionSequence.respond_to?(:compile_file_prism)
          RubyVM::InstructionSequence.public_send(prism ? :compile_file_prism : :compile_file,
            @name)
        end

        def source = File.binread(@name)

        def data_at(offset) = File.open(@name).tap { |file| file.seek(offset) }

        # Ruby gives DATA to its main script only, which is `raffia`.
        def provide_data
          return unless source.match?(/^__END__\r?$/)
          require "prism"
          marker = Prism.parse(source).data_loc or return # it may be a line of a heredoc
          offset = source.byteindex("\n", marker.start_offset)
          Object.const_set(:DATA, data_at(offset ? offset + 1 : source.bytesize))
        end

        def own_frames(error)
          frames = error.backtrace
          last = frames.rindex { |frame| frame.start_with?("#{@name}:") }
          return frames[0..last] if last
          # a script that does not parse has no frame, and Ruby names the file
          error.is_a?(SyntaxError) ? [@name] : frames
        end
      end

      # A script that can be read only once: standard input, a pipe.
      #
      # @api private
      class Stream < Script
        private

        def source
          (@source ||=
             ((@name == "-") ? $stdin.read : File.read(@name)).force_encoding(Encoding::UTF_8))
        end

        def compile = RubyVM::InstructionSequence.compile(source, @name, File.expand_path(@name))

        def data_at(offset)
          require "stringio"
          StringIO.new(source.byteslice(offset..))
        end
      end
    end
  end
end

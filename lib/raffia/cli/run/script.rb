# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module CLI
    module Run
      # A program on its way from a file to the point where it runs. Compiled as a file of its own
      # and not loaded, because `load` shows the program an absolute __FILE__, which is not what $0
      # has under `ruby script.rb`.
      #
      # @api private
      class Script
        # @param name [String] path of the script, "-" for standard input
        # @raise [NotFound] when there is none
        # @raise [ConfigError] when it cannot be read
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

        # Become the program: never returns to what the process was before.
        #
        # @param arguments [Array<String>] the program's ARGV
        def call(arguments)
          ARGV.replace(arguments)
          $PROGRAM_NAME = @name
          # what ps shows; $0 stays
          ::Process.setproctitle(["raffia", "run", @name, *arguments].join(" "))
          provide_data
          compile.eval
        end

        # Cut what is below the script's own frames off the backtraces, so that an error reads as
        # under `ruby script.rb`.
        #
        # @param error [Exception] changed in place, its causes too
        def trim(error)
          while error
            error.set_backtrace(own_frames(error)) if error.backtrace && !error.frozen?
            error = error.cause
          end
        end

        private

        # compile_file knows the old parser only, up to Ruby 3.4, where `ruby` itself has changed to
        # the new one.
        def compile
          prism = RUBY_DESCRIPTION.include?("+PRISM") &&
            RubyVM::InstructionSequence.respond_to?(:compile_file_prism)
          RubyVM::InstructionSequence.public_send(prism ? :compile_file_prism : :compile_file,
            @name)
        end

        def source = File.binread(@name)

        def data_at(offset) = File.open(@name).tap { |file| file.seek(offset) }

        # Ruby gives DATA to the main script only, and for it we are the main script.
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
          # a script that does not parse has no frame at all, and Ruby names the file
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

# frozen_string_literal: true

module Raffia
  class Server
    module Takeover
      # The command line of this process, to start its successor. It is read before the title of the
      # process changes.
      #
      # @api private
      class StartCommand
        FLAG = "--takeover"
        BUNDLER = "BUNDLER_ORIG_"
        # Bundler's way to say that a variable was not set.
        UNSET = "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL"
        private_constant :BUNDLER, :UNSET

        # `own`: variables that the process got, and has removed.
        def self.read(arguments = ARGV, program = $PROGRAM_NAME, own: {},
          environment: Raffia::Config.environment)
          words = ::File.binread("/proc/self/cmdline").split("\0")
          whole = words.size > arguments.size && words.last(arguments.size) == arguments
          new(whole ? words : nil, program, arguments, own, environment.to_h)
        rescue SystemCallError
          new(nil, program, arguments, own, environment.to_h)
        end

        # `words`: the whole command line, or nil where it cannot be read.
        def initialize(words, program, arguments, own, environment)
          @words = words
          @program = ::File.expand_path(program)
          @arguments = arguments
          @own = own
          @original = original(environment)
          @folder = folder(environment["PWD"])
        end

        # The words, and environment variables that differ.
        def words
          words = @words || (@original.any? ? bundled : [RbConfig.ruby, @program, *@arguments])
          [*words - [FLAG], FLAG]
        end

        # In the folder of the same name, which may be another one by now: `current` of a deployment
        # is a link. Returns the pid. Raises SystemCallError.
        def spawn
          ::Process.spawn({**(@words ? {} : @original), **@own}, *words, chdir: @folder)
        end

        private

        def bundled = ["bundle", "exec", ::File.basename(@program), *@arguments]

        # Variables as they were before Bundler.
        def original(environment)
          environment.select { |name, _| name.start_with?(BUNDLER) }
            .to_h { |name, value| [name.delete_prefix(BUNDLER), (value unless value == UNSET)] }
        end

        def folder(named)
          (named && ::File.identical?(named, ".")) ? named : Dir.pwd
        end
      end
    end
  end
end

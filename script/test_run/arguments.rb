# frozen_string_literal: true

module TestRun
  # Tells test files and folders from options of minitest.
  module Arguments
    # Options that take the next argument: a file's name there is no test to run.
    WITH_VALUE = %w[-n --name -i --include -e --exclude -x -s --seed -S --skip].freeze
    TESTS = File.expand_path("../../test", __dir__)

    module_function

    # @param arguments [Array<String>]
    # @return [Array(Array<String>, Array<String>)] absolute paths of test files, options
    def parse(arguments)
      rest = arguments.dup
      places, options = [], []
      until rest.empty?
        argument = rest.shift
        if WITH_VALUE.include?(argument) then options.push(argument, *rest.shift)
        elsif File.exist?(argument) then places << File.expand_path(argument)
        elsif argument.start_with?("-") then options << argument
        else abort "there is no test file or folder #{argument}"
        end
      end
      [files(places.empty? ? [TESTS] : places), options]
    end

    def files(places)
      found =
        places.flat_map { |place|
          File.directory?(place) ? Dir[File.join(place, "**", "*_test.rb")].sort : place
        }.uniq
      found.empty? ? abort("no *_test.rb in #{places.join(", ")}") : found
    end
  end
end

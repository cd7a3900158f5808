# frozen_string_literal: true

require "json"
require "open3"

module TestSupport
  # Debian's Python, for clients that are written in it.
  module Python
    PROGRAM = "/usr/bin/python3"

    private

    # @param packages [Hash{String => String}] module => its package
    def need_python(packages)
      packages.each do |name, package|
        next if system(PROGRAM, "-c", "import #{name}", err: File::NULL)
        skip "#{package} is not installed here (as root: bin/setup --server)"
      end
    end

    # @param script [String] which writes JSON to its output
    # @return [Object] what it wrote
    def python(script, *arguments)
      output, errors, status = Open3.capture3(PROGRAM, "-", *arguments.map(&:to_s),
        stdin_data: script)
      assert_predicate status, :success?, errors
      JSON.parse(output)
    end
  end
end

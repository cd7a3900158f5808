# frozen_string_literal: true

module Raffia
  module Lab
    class BlockingDB < Experiment
      # The load generator: how it is called, and what it prints.
      #
      # Before it opens all of its connections, ab sends one request alone and waits for the answer.
      # So it is given one request more, and the time of that one, which is the fastest because it
      # had the server for itself, is taken off.
      module Ab
        PROBE = 1
        MISSING = "ab is not installed; Debian has it in a package: apt-get install apache2-utils"
        # Seconds that a request may take: with few threads the last of 200 waits for all of the
        # others.
        PATIENCE = 600

        module_function

        # @return [String, nil] what to do when the program is not there
        def missing(program = "ab")
          ::Process.wait(::Process.spawn(program, "-V", in: File::NULL, out: File::NULL,
            err: File::NULL))
          nil
        rescue Errno::ENOENT
          MISSING
        end

        # @return [Array<String>]
        def command(requests, concurrency, port)
          ["ab", "-q", "-s#{PATIENCE}", "-n#{requests + PROBE}", "-c#{concurrency}",
            "http://127.0.0.1:#{port}/"]
        end

        # @param output [String]
        # @return [Hash{Symbol => Numeric}] the seconds without the one before, the counts with it
        def facts(output)
          probe = output[/^Total:\s+(\d+)/, 1].to_i / 1_000.0
          {seconds: output[/^Time taken for tests:\s+([\d.]+)/, 1].to_f - probe,
           complete: output[/^Complete requests:\s+(\d+)/, 1].to_i, errors: errors(output)}
        end

        # What it could not connect to or read from ends it, and then it prints none of this.
        def errors(output)
          failed = output[/^Failed requests:\s+(\d+)/, 1]
          failed ? failed.to_i + output[/^Non-2xx responses:\s+(\d+)/, 1].to_i : 1
        end

        private_class_method :errors
      end
    end
  end
end

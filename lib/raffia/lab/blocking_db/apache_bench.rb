# frozen_string_literal: true

module Raffia
  module Lab
    class BlockingDB < Experiment
      # The load generator ab: its command and its output.
      #
      # Before it opens all connections, ab sends one request alone and waits for the answer. So it
      # gets one request more, and the time of that one is subtracted. It is the fastest, because it
      # has the server for itself.
      module ApacheBench
        PROBE = 1
        MISSING = "ab is not installed; Debian has it in a package: apt-get install apache2-utils"
        # Seconds that a request may take: with few threads, the last of 200 waits for all others.
        PATIENCE = 600

        extend self

        # Advice when the program is missing, else nil.
        def missing(program = "ab")
          MISSING if system(program, "-V", out: File::NULL, err: File::NULL).nil?
        end

        def command(requests, concurrency, port)
          ["ab", "-q", "-s#{PATIENCE}", "-n#{requests + PROBE}", "-c#{concurrency}",
            "http://127.0.0.1:#{port}/"]
        end

        # The seconds without the first request, the counts with it.
        def facts(output)
          probe = output[/^Total:\s+(\d+)/, 1].to_i / 1_000.0
          {seconds: output[/^Time taken for tests:\s+([\d.]+)/, 1].to_f - probe,
           complete: output[/^Complete requests:\s+(\d+)/, 1].to_i, errors: errors(output)}
        end

        private

        # After an error of a connection, ab ends without these lines.
        def errors(output)
          failed = output[/^Failed requests:\s+(\d+)/, 1]
          failed ? failed.to_i + output[/^Non-2xx responses:\s+(\d+)/, 1].to_i : 1
        end
      end
    end
  end
end

# frozen_string_literal: true

require_relative "http_cores"

module Raffia
  module Lab
    # The same small Rack application served from processes and from Ractors, a listener and a loop
    # in each, on one port. The figures are requests and memory.
    class RactorWeb < HttpCores
      VARIANTS = %i[processes ractors].freeze
      CONNECTIONS = 64
      # Servers are often given more workers than cores, and pay for each in memory.
      MANY = 8

      def name = "ractor_web"

      def title = "a Rack application served from processes and from Ractors, side by side"

      def variants = VARIANTS

      def workers(_variant, cores) = [[cores, 2].max, MANY].uniq

      def workers?(_variant) = true

      def baseline = :processes

      # It needs CPU, but more workers than cores are no faster, and are not meant to be.
      def cpu_bound? = false

      def params(scale) = {**super, connections: CONNECTIONS}

      # Loads the application here because no other experiment needs it. The forked workers share
      # it.
      def warm_up(_setting)
        require_relative "ractor_web/server"
        Application.call({"QUERY_STRING" => ""})
      end

      def serve(setting, host)
        measured { Fleet.share(setting.variant, setting.workers, host, server: Server) }
      end

      def goals(rows)
        memory = ->(variant) {
          rows.to_a.find { |row| row[:variant] == variant && row[:workers] == MANY }&.dig(:pss)
        }
        ractors, processes = %w[ractors processes].map(&memory)
        [Goal.at_most("#{MANY} Ractors in less memory than #{MANY} processes",
          ractors && processes && ractors.to_f / processes, 1.0)]
      end

      def notes(_params)
        ["the application: 20 articles of 20,000 in memory, as JSON and through an ERB template; " \
          "the server is that of `raffia serve`",
          "Ractors share the program and its data without copies, and garbage collection stops " \
            "them all"]
      end
    end
  end
end

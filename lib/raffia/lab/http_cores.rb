# frozen_string_literal: true

require_relative "http"
require_relative "http/fleet"

module Raffia
  module Lab
    # The server of `http` on several cores: one loop; loops in Ractors that share the port, or that
    # get the connections that the main Ractor accepts; and the same in forked processes.
    class HttpCores < Http
      VARIANTS = %i[one_loop ractors_handed ractors_sharing processes].freeze

      def name = "http_cores"

      def title = "the fiber HTTP server on several cores: Ractors beside processes"

      def variants = VARIANTS

      def workers(variant, cores) = workers?(variant) ? [[cores, 2].max] : [1]

      def workers?(variant) = variant != :one_loop

      def baseline = :one_loop

      def cpu_bound? = true

      def obstacles(_params) = blocked(Wrk.missing || Limits.obstacle(needs))

      def serve(setting, host) = measured { Fleet.run(setting.variant, setting.workers, host) }

      def notes(_params)
        ["ractors_handed: the main Ractor accepts and hands descriptors on; ractors_sharing: a " \
          "listener in each, on one port",
          "wrk has two threads of its own: on two cores it takes from the server what the server " \
            "could use"]
      end
    end
  end
end

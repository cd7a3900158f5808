# frozen_string_literal: true

# Classic: an object is published in a global place before it is filled; another thread uses it half
# made. Fixed: fill, then publish.
module SimulationBench
  module UnsafePublication
    class Settings
      def initialize = @values = {}

      def load
        @values.store(:host, "db")
        @values.store(:port, 5432)
        self
      end

      def url = "#{@values[:host]}:#{@values[:port]}"
    end

    class Application
      attr_reader :settings

      def boot
        @settings = Settings.new
        @settings.load
      end

      def request = settings&.url || "db:5432"
    end

    class FilledApplication < Application
      def boot = @settings = Settings.new.load
    end

    def self.run(application)
      request = Thread.new { application.request }
      application.boot
      url = request.value
      SimulationBench.check(url == "db:5432", "half loaded settings: #{url.inspect}")
    end
  end

  model "unsafe_publication", source: "classic", fault: "published before it is filled",
    needs: [:preempt],
    buggy: ->(_sim) { UnsafePublication.run(UnsafePublication::Application.new) },
    fixed: ->(_sim) { UnsafePublication.run(UnsafePublication::FilledApplication.new) }
end

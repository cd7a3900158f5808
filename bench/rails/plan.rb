# frozen_string_literal: true

module RailsBench
  # A page that is asked for on so many connections.
  #
  # @!attribute path
  #   @return [String]
  # @!attribute form
  #   @return [String, nil] the body of a POST
  # @!attribute rate
  #   @return [Integer] requests in a second of the open loop, in which latencies are measured
  Plan = Data.define(:name, :title, :unit, :connections, :path, :form, :rate, :seconds) do
    def initialize(name:, title:, connections:, path:, form: nil, unit: "request", rate: 100,
      seconds: 4.0)
      super
    end

    # Bench::Machine asks for it.
    def settings = {connections:}
  end

  # The workloads.
  module Plans
    PAGES = {
      "up" => ["/up", nil, "health check"],
      "html" => ["/articles", nil, "HTML page with a layout and 20 partials, from SQLite"],
      "json" => ["/readings", nil, "JSON of 20 rows, from PostgreSQL"],
      "form" => ["/articles", "article[title]=A+title&article[body]=text",
        "form POST, a row into SQLite"]
    }.freeze
    CONNECTIONS = [1, 8, 64].freeze

    def self.plan(name, connections)
      path, form, title = PAGES.fetch(name)
      counted = "#{connections} connection#{"s" if connections > 1}"
      Plan.new(name: "#{name}_#{connections}", title: "#{title}; #{counted}", connections:, path:,
        form:)
    end

    ALL = PAGES.keys.product(CONNECTIONS)
      .to_h { |name, connections| plan(name, connections).then { |one| [one.name, one] } }.freeze
  end
end

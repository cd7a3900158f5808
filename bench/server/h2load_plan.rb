# frozen_string_literal: true

require_relative "../harness/programs"
require_relative "service"

module ServerBench
  # A workload that h2load (Debian's nghttp2-client) asks for, with prior knowledge of HTTP/2. With
  # one stream it can be the same on HTTP/1.1.
  #
  # @!attribute streams
  #   @return [Integer] requests under way on a connection
  # @!attribute size
  #   @return [Integer] bytes of the body that each response has
  # @!attribute upload
  #   @return [String, nil] the body of each request
  H2loadPlan = Data.define(:name, :title, :unit, :connections, :streams, :path, :size, :upload,
    :http2, :seconds) do
    def initialize(name:, title:, connections:, streams: 1, path: "/", size: 13, upload: nil,
      http2: true, unit: "request", seconds: 1.0)
      super
    end

    alias_method :http2?, :http2

    # @return [String, nil] what is missing here
    def trouble
      return if Bench::Programs.tool?("h2load")

      "there is no h2load (apt-get install nghttp2-client)"
    end

    # Harness::Machine asks for it.
    def settings = {connections:}

    # There is no open loop.
    def rate = 0

    def parks? = false

    # @return [H2load]
    def load_for(server, scale) = H2load.new(server, self, scale)

    # @return [H2loadPlan] on HTTP/1.1
    def on_http1
      with(name: name.sub("h2", "h1"), title: title.sub("HTTP/2", "HTTP/1.1"), http2: false)
    end
  end

  # One and a hundred streams, short and long bodies, in both directions.
  module H2loadPlans
    ONE = [
      H2loadPlan.new(name: "h2_hello", title: "HTTP/2 by h2load: hello, 1 stream",
        connections: 64),
      H2loadPlan.new(name: "h2_download", title: "HTTP/2 by h2load: answer of 1 MiB, 1 stream",
        connections: 16, path: "/download", size: 1024 * 1024),
      H2loadPlan.new(name: "h2_upload", title: "HTTP/2 by h2load: POST of 64 KiB, 1 stream",
        connections: 16, path: "/upload", size: 15, upload: Service::UPLOAD)
    ].freeze
    MANY = ONE.zip([8, 1, 1]).map do |plan, connections|
      plan.with(name: "#{plan.name}_100", title: plan.title.sub("1 stream", "100 streams"),
        connections:, streams: 100)
    end.freeze
    ALL = [*ONE, *MANY, *ONE.map(&:on_http1)].to_h { |plan| [plan.name, plan] }.freeze
  end
end

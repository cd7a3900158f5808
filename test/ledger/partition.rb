# frozen_string_literal: true

require "json"
require "net/http"
require "rbconfig"
require "socket"

module Ledger
  # A network between a store's server and one of its workers, through the fault proxy of
  # script/conformance.
  class Partition
    PROGRAM = File.expand_path("../../script/conformance/ours/fault_proxy.rb", __dir__)
    # Kinds of faults: requests get lost, answers get lost, an answer ends within a message,
    # connections are refused.
    KINDS = {
      requests: ["timeout", "upstream", {timeout: 0}],
      answers: ["timeout", "downstream", {timeout: 0}],
      torn: ["limit_data", "downstream", {bytes: 700}],
      refused: nil
    }.freeze

    # @param server [Integer] its port
    def initialize(server)
      @server = server
      @control, @port = Array.new(2) { TCPServer.open("127.0.0.1", 0) { |one| one.addr[1] } }
      @pid = ::Process.spawn({"RUBYOPT" => nil}, RbConfig.ruby, "--disable-gems", PROGRAM, "-port",
        @control.to_s)
      sleep(0.02) until ready?
    end

    # @param url [String] of the store
    # @return [String] the same through the proxy
    def url(url) = url.sub(":#{@server}/", ":#{@port}/")

    # @return [Symbol] what was done for so many seconds
    def cause(seconds, random)
      kind = KINDS.keys.sample(random: random)
      change(kind) { sleep(seconds) }
      kind
    end

    # @return [void]
    def close
      ::Process.kill(:KILL, @pid)
      ::Process.wait(@pid)
    end

    private

    def change(kind)
      return switch(false) { yield } unless (type, stream, attributes = KINDS[kind])

      ask("POST", "/proxies/store/toxics",
        {name: "it", type: type, stream: stream, attributes: attributes})
      yield
    ensure
      ask("DELETE", "/proxies/store/toxics/it") if KINDS[kind]
    end

    def switch(enabled)
      ask("POST", "/proxies/store", {enabled: enabled})
      yield
    ensure
      ask("POST", "/proxies/store", {enabled: !enabled})
    end

    def ready?
      ask("POST", "/populate",
        [{name: "store", listen: ":#{@port}", upstream: "localhost:#{@server}"}])
    rescue SystemCallError
      false
    end

    def ask(method, path, body = nil)
      Net::HTTP.start("127.0.0.1", @control) do |http|
        http.send_request(method, path, body && JSON.generate(body))
      end
    end
  end
end

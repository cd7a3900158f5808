# frozen_string_literal: true

require_relative "server_case"
require "raffia/server/websocket"
require "support/browser"
require "support/certificates"
require "tmpdir"

module Raffia
  # A browser takes HTTP/2 by ALPN, for a page and its assets.
  class ServerHTTP2BrowserTest < ServerCase
    ASSETS = 40
    PAGE = "<!doctype html><title>page</title>" \
      "#{Array.new(ASSETS) { |n| "<script src=/asset/#{n}.js></script>" }.join}" \
      "<script>loaded = true</script>"
    PROTOCOLS = <<~JS
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter(entry => !entry.name.endsWith('favicon.ico')).map(entry => entry.nextHopProtocol)
    JS
    APP = lambda do |env|
      case env["PATH_INFO"]
      when "/" then [200, {"content-type" => "text/html"}, [PAGE]]
      when %r{\A/asset/(\d+)}
        [200, {"content-type" => "text/javascript"}, ["window.a#{$1} = 1"]]
      when "/echo" then [200, {"content-type" => "text/plain"}, [env["rack.input"].read.reverse]]
      else [404, {"content-type" => "text/plain"}, ["not found"]]
      end
    end

    # Opens a WebSocket, and keeps what comes.
    WEBSOCKET = <<~JS
      window.heard = []
      const socket = new WebSocket(location.href.replace('https', 'wss') + 'socket')
      socket.onopen = () => socket.send('hello')
      socket.onmessage = event => { heard.push(event.data); socket.close(1000) }
      socket.onclose = event => heard.push(event.code)
      0
    JS

    def setup
      TestSupport::Browser.program
      @dir = Dir.mktmpdir
    rescue TestSupport::Browser::Missing => error
      skip error.message
    end

    def teardown = FileUtils.rm_rf(@dir || [])

    def test_a_page_with_assets_and_an_upload
      cert, key = TestSupport::Certificates.new(@dir).server("localhost")
      serve(APP, bind: "ssl://127.0.0.1:0", tls_cert: cert, tls_key: key) do |server|
        TestSupport::Browser.open do |browser|
          page = browser.visit("https://localhost:#{server.port}/")
          page.await("window.loaded && window.a#{ASSETS - 1} === 1")
          assert_equal({"h2" => ASSETS + 1}, page.eval(PROTOCOLS).tally)
          text = "fetch('/echo', {method: 'POST', body: 'ab'.repeat(100000)})" \
            ".then(response => response.text())"
          assert_equal "ba" * 100_000, page.eval(text)
        end
      end
    end

    # Chromium puts them on the page's own connection when the server offers it.
    def test_a_websocket_on_the_connection_of_the_page
      cert, key = TestSupport::Certificates.new(@dir).server("localhost")
      protocols = ::Thread::Queue.new
      app = lambda do |env|
        next APP.call(env) unless env["PATH_INFO"] == "/socket"

        protocols << env["SERVER_PROTOCOL"]
        Raffia::Server::WebSocket.open(env) do |socket|
          socket.each { |message| socket.write(message.upcase) }
        end
      end
      serve(app, bind: "ssl://127.0.0.1:0", tls_cert: cert, tls_key: key,
        websockets_over_http2: :native) do |server|
        TestSupport::Browser.open do |browser|
          page = browser.visit("https://localhost:#{server.port}/")
          page.await("window.loaded")
          page.eval(WEBSOCKET)
          page.await("window.heard.length === 2")
          assert_equal ["HELLO", 1000], page.eval("window.heard")
          assert_equal "HTTP/2", protocols.pop
        end
      end
    end
  end
end

# frozen_string_literal: true

require_relative "server_case"
require "support/browser"

module Raffia
  # The examples' pages in a real browser, over HTTPS with a certificate made on the spot.
  # RAFFIA_PICTURES=folder keeps what they look like.
  class ServerBrowserTest < ServerCase
    def setup
      TestSupport::Browser.program
      need_gem "websocket-driver"
    rescue TestSupport::Browser::Missing => error
      skip error.message
    end

    def test_two_tabs_talk_over_a_websocket
      secure("chat") do |port, browser|
        ada, grace = Array.new(2) { browser.visit("https://localhost:#{port}/") }
        ada.await("document.getElementById('state').textContent === '2 are here'")
        say(ada, "Ada", "Hello from the first tab")
        grace.await("document.querySelectorAll('#messages li').length === 1")
        say(grace, "Grace", "<b>and</b> back — žluťoučký kůň")
        ada.await("document.querySelectorAll('#messages li').length === 2")
        assert_equal ["Hello from the first tab", "<b>and</b> back — žluťoučký kůň"],
          ada.eval("[...document.querySelectorAll('#messages li')].map(item => " \
            "item.lastChild.textContent)")
        picture("chat", ada)
        ada.close
        grace.await("document.getElementById('state').textContent === 'only you are here'")
        late = browser.visit("https://localhost:#{port}/")
        late.await("document.querySelectorAll('#messages li').length === 2")
      end
    end

    def test_events_tick
      secure("ticker") do |port, browser|
        page = browser.visit("https://localhost:#{port}/")
        page.await("document.querySelectorAll('article').length === 4")
        first = page.await("document.body.dataset.last").to_i
        page.await("document.body.dataset.last > #{first + 2}")
        assert_equal "live", page.eval("document.getElementById('state').textContent")
        assert_match(/\A\d+\.\d\d\z/, page.eval("document.querySelector('output').textContent"))
        picture("ticker", page)
      end
    end

    def test_a_page_for_an_error
      config = <<~RUBY
        def total(lines) = lines.sum { |line| line.fetch(:price) }

        run(lambda do |env|
          total([{price: 1}, {name: "<script>document.title = 'run'</script>"}])
        rescue KeyError
          raise ArgumentError, "the order \#{env["QUERY_STRING"]} has a line without a price"
        end)
      RUBY
      program(config, environment: "development") do |port, _|
        TestSupport::Browser.open do |browser|
          page = browser.visit("http://localhost:#{port}/orders/7?token=abc&name=Ada")
          page.await("document.readyState === 'complete'")
          assert_equal "ArgumentError", page.eval("document.querySelector('h1').textContent")
          assert_match(/\AArgumentError/, page.eval("document.title"))
          assert_includes page.eval("document.querySelector('.current').textContent"), "raise Arg"
          page.eval("document.querySelector('details').open = true")
          page.size(360, 640)
          assert_operator page.eval("document.documentElement.scrollWidth"), :<=, 360
          picture("error", page)
        end
      end
    end

    private

    def secure(example, &block)
      files = Dir["#{ROOT}/examples/#{example}/*"]
        .to_h { |path| [File.basename(path), File.read(path)] }
      port = TestSupport::Daemon.free_port
      program(files.delete("config.ru"), files: files, port: port, bind: "ssl://localhost:#{port}",
        tls: "self_signed") do
        TestSupport::Browser.open { |browser| block.call(port, browser) }
      end
    end

    def say(page, name, text)
      page.eval("(name.value = #{name.to_json}, document.getElementById('text').value = " \
        "#{text.to_json}, form.requestSubmit())")
    end

    def picture(name, page)
      folder = ENV["RAFFIA_PICTURES"] or return assert_operator page.picture.bytesize, :>, 5_000
      [[1280, 800, false], [1280, 800, true], [360, 640, false]].each do |width, height, dark|
        page.size(width, height)
        page.dark(dark)
        File.binwrite(File.join(folder, "#{name}-#{width}#{"-dark" if dark}.png"), page.picture)
      end
    end
  end
end

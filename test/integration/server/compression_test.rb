# frozen_string_literal: true

require_relative "server_case"
require "open3"
require "support/browser"
require "zlib"

module Raffia
  # Compressed responses as curl, a browser and the decoders of the gems read them.
  class ServerCompressionClientsTest < ServerCase
    TEXT = ("<p>All work and no play makes Jack a dull boy.</p>\n" * 2_000).freeze
    APP = lambda do |env|
      headers = {"content-type" => "text/html"}
      case env["PATH_INFO"]
      when "/" then [200, headers, [TEXT]]
      when "/pieces" then [200, headers, TEXT.lines.each_slice(100).map(&:join).each]
      when "/stream"
        [200, headers, ->(stream) { TEXT.each_line { |line| stream.write(line) } && stream.close }]
      else [404, {}, []]
      end
    end
    PATHS = %w[/ /pieces /stream].freeze

    def setup = need_gem("brotli", "zstd-ruby")

    def test_curl_decodes_each_coding
      need_program "curl"
      serve(APP, compress: %w[zstd br gzip]) do |server|
        %w[gzip br zstd].product(PATHS) do |coding, path|
          head, body = fetch("--compressed", "-H", "Accept-Encoding: #{coding}",
            "#{server.url}#{path}")
          assert_match(/^content-encoding: #{coding}\r$/, head, path)
          assert_equal TEXT, body, "#{coding} #{path}"
        end
        head, body = fetch("--compressed", "#{server.url}/")
        assert_match(/^content-encoding: zstd\r$/, head)
        assert_equal TEXT, body
      end
    end

    def test_the_gems_decode
      require "brotli"
      require "zstd-ruby"
      decoders = {"gzip" => Zlib.method(:gunzip), "br" => Brotli.method(:inflate),
                  "zstd" => ->(bytes) { Zstd::StreamingDecompress.new.decompress(bytes) }}
      serve(APP, compress: "br,zstd,gzip") do |server|
        decoders.to_a.product(PATHS) do |(coding, decode), path|
          answer = get(server, path, "accept-encoding" => coding)
          assert_equal coding, answer["content-encoding"]
          assert_equal TEXT, decode.call(answer.body).force_encoding("UTF-8"), "#{coding} #{path}"
        end
      end
    end

    def test_siblings_of_files_keep_strong_tags
      Dir.mktmpdir do |folder|
        {"a.js" => "plain" * 1_000, "a.js.gz" => "gzip", "a.js.zst" => "zstd", "a.js.br" => "br",
         "b.js" => "plain" * 1_000}.each { |name, text| File.write("#{folder}/#{name}", text) }
        serve(APP, static: [folder], compress: "gzip") do |server|
          %w[gzip zstd br].each do |coding|
            answer = get(server, "/a.js", "accept-encoding" => coding)
            assert_equal [coding, coding], [answer["content-encoding"], answer.body]
            assert_match(/\A"\h+-\h+-#{coding}"\z/, answer["etag"])
          end
          answer = get(server, "/b.js", "accept-encoding" => "gzip")
          assert_equal "plain" * 1_000, Zlib.gunzip(answer.body)
          assert_match(/\AW\/"/, answer["etag"])
          again = get(server, "/b.js", "accept-encoding" => "gzip",
            "if-none-match" => answer["etag"])
          assert_equal ["304", answer["etag"]], [again.code, again["etag"]]
          part = get(server, "/b.js", "accept-encoding" => "gzip", "range" => "bytes=0-4",
            "if-range" => answer["etag"])
          assert_equal "200", part.code, "a weak tag does not match If-Range"
          part = get(server, "/b.js", "accept-encoding" => "gzip", "range" => "bytes=0-4")
          assert_equal ["206", "plain", nil], [part.code, part.body, part["content-encoding"]]
        end
      end
    end

    def test_a_browser_reads_each_coding
      TestSupport::Browser.program
      TestSupport::Browser.open do |browser|
        %w[gzip br zstd].each do |coding|
          serve(APP, compress: coding) do |server|
            PATHS.each do |path|
              # Browsers accept br and zstd from trustworthy origins only, such as localhost.
              page = browser.visit("http://localhost:#{server.port}#{path}")
              page.await("document.readyState === 'complete'")
              assert_equal 2_000, page.eval("document.querySelectorAll('p').length"),
                "#{coding} #{path}"
              page.close
            end
          end
        end
      end
    rescue TestSupport::Browser::Missing => error
      skip error.message
    end

    private

    def get(server, path, headers)
      Net::HTTP.start("127.0.0.1", server.port) do |http|
        http.request(Net::HTTP::Get.new(path, headers))
      end
    end

    def fetch(*arguments)
      Dir.mktmpdir do |folder|
        body, errors, status = Open3.capture3("curl", "-sS", "--max-time", "60", "-D",
          "#{folder}/head", *arguments)
        assert_predicate status, :success?, errors
        [File.read("#{folder}/head"), body]
      end
    end
  end
end

# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"
require "raffia/server"
require "raffia/server/config_file"

# The layer and its settings.
class CompressionLayerTest < Raffia::TestCase
  Raffia::Server::Compression::Codings.load([:gzip])

  Options = Raffia::Server::Options

  def test_without_the_setting_there_is_no_layer
    app = ->(_) {}
    context = Raffia::Server::Worker::Context.new(app, Options.build, nil)
    assert_same app, context.app
    compressing = Raffia::Server::Worker::Context.new(app, Options.build({compress: "gzip"}), nil)
    assert_instance_of Raffia::Server::Compression, compressing.app
  end

  def test_settings
    assert_equal %i[br gzip], Options.build({compress: "br,gzip,br"}).compress
    assert_equal [], Options.build({compress: "off"}).compress
    error = assert_raises(Raffia::ConfigError) { Options.build({compress: "deflate"}) }
    assert_match(/use some of zstd, br, gzip, or off/, error.message)
    error = assert_raises(Raffia::ConfigError) do
      Raffia::Server.new(->(_) {}, compress: :gzip, compress_types: ["html"])
    end
    assert_match(/compress_types "html" is no media type/, error.message)
    error = assert_raises(Raffia::ConfigError) do
      Raffia::Server.new(->(_) {}, compress: :br, ractors: 1)
    end
    assert_match(/brotli cannot be used in Ractors/, error.message)
  end

  def test_the_word_of_the_file
    Dir.mktmpdir do |folder|
      path = File.join(folder, "raffia.rb")
      File.write(path, <<~RUBY)
        compress :zstd, :gzip, min: "2k", types: %w[text/* application/json], jitter: 32
      RUBY
      given = Raffia::Server::ConfigFile.read(path).given
      assert_equal({compress: %i[zstd gzip], compress_min: 2048,
        compress_types: %w[text/* application/json], compress_jitter: 32}, given)
    end
  end

  def test_a_gem_that_is_missing_is_named
    code = "Raffia::Server.new(->(_) {}, compress: :br)"
    _, errors, status = Open3.capture3({"RUBYOPT" => nil}, RbConfig.ruby, "--disable-gems",
      "-I#{File.expand_path("../../../lib", __dir__)}", "-rraffia/server", "-e", code)
    refute_predicate status, :success?
    assert_match(/`compress br` needs the gem brotli >= 0.6, .*Gemfile/, errors)
    assert_includes errors, "MissingDependency"
  end

  def test_a_body_is_closed_whatever_becomes_of_the_response
    closed = 0
    body = Object.new
    body.define_singleton_method(:each) { |&block| 3.times { block.call("x" * 20_000) } }
    body.define_singleton_method(:close) { closed += 1 }
    app = ->(_) { [200, {"content-type" => "text/plain", "etag" => "\"a\""}, body] }
    layer = Raffia::Server::Compression.new(app, Options.build({compress: "gzip"}))
    _, _, coded = layer.call({"HTTP_ACCEPT_ENCODING" => "gzip", "REQUEST_METHOD" => "GET"})
    assert_raises(RuntimeError) { coded.each { |_| raise "the client has gone" } }
    coded.close
    assert_equal 1, closed
    status, = layer.call({"HTTP_ACCEPT_ENCODING" => "gzip", "REQUEST_METHOD" => "GET",
                          "HTTP_IF_NONE_MATCH" => "W/\"a\""})
    assert_equal [304, 2], [status, closed]
  end
end

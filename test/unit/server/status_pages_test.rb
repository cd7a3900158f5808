# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "raffia/server"

class StatusPagesTest < Raffia::TestCase
  def test_a_file_that_is_not_there_is_refused_at_the_start
    error = assert_raises(Raffia::ConfigError) do
      Raffia::Server.new(->(_) {}, error_page: "503=/nowhere/503.html")
    end
    assert_match(%r{error_page /nowhere/503.html cannot be read: No such file}, error.message)
  end

  def test_a_long_file_is_refused
    Dir.mktmpdir do |folder|
      path = File.join(folder, "500.html")
      File.write(path, "x" * ((1 << 20) + 1))
      error = assert_raises(Raffia::ConfigError) { Raffia::Server::StatusPages.new(["500=#{path}"]) }
      assert_match(/longer than 1048576 bytes/, error.message)
    end
  end

  def test_settings
    assert_equal ["503=#{File.expand_path("a.html")}"],
      Raffia::Server::Options.build({error_page: "503=a.html"}).error_page
    %w[a.html 200=a.html 503= 5030=a].each do |value|
      error = assert_raises(Raffia::ConfigError) do
        Raffia::Server::Options.build({error_page: value})
      end
      assert_match(/use a status and a file/, error.message)
    end
  end
end

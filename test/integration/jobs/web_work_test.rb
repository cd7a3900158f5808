# frozen_string_literal: true

require "net/http"
require_relative "work_case"

# `raffia work --web`: the dashboard in a process of its own.
class JobsWebWorkTest < Raffia::JobsWorkCase
  def url = "sqlite:#{File.join(@dir, "jobs.db")}"

  def look(worker, path = "", **headers)
    uri = URI(JSON.parse(worker.out.lines.first)["web"] + path)
    Net::HTTP.start(uri.host, uri.port) do |http|
      http.get(uri.request_uri, headers.transform_keys(&:to_s))
    end
  end

  def await_dashboard(worker)
    await("it does not answer") { look(worker).then { |page| page if page.code == "200" } }
  end

  def test_in_a_process_of_its_own
    jid = enqueue("QuickJob", "one")
    work("--web", "127.0.0.1:0", "--tag", "shop") do |worker|
      assert_match(/<span>shop</, await_dashboard(worker).body)
      await_said("QuickJob", "one")
      await("it does not count") do
        JSON.parse(look(worker, "api/").body).values_at("processed", "processes") == [1, 1]
      end
      assert_equal "404", look(worker, "job?jid=#{jid}").code
      assert_equal url, JSON.parse(look(worker, "api/").body)["store"]
      answer = change(worker)
      assert_equal ["200", {"done" => "paused", "changed" => 1}],
        [answer.code, JSON.parse(answer.body)]
      assert @store.queues.find { |queue| queue["name"] == "default" }["paused"]
      worker.kill(:HUP)
      await("it has not restarted") { worker.err.include?("restarted: generation 2") }
      await_dashboard(worker)
      worker.kill(:TERM)
      assert_equal 0, worker.ended.exitstatus, worker.err
    end
    assert_empty @store.processes
  end

  def change(worker)
    uri = URI("#{JSON.parse(worker.out.lines.first)["web"]}api/queues")
    Net::HTTP.post(uri, JSON.generate("action" => "pause", "queue" => "default"),
      "content-type" => "application/json")
  end

  def test_in_the_only_process_and_read_only
    work("--processes", "0", "--web", "0", "--web-read-only") do |worker|
      await_dashboard(worker)
      assert_equal "403", change(worker).code
      worker.kill(:TERM)
      assert_equal 0, worker.ended.exitstatus, worker.err
    end
  end

  def test_where_others_can_reach_it_a_password_is_needed
    %w[0.0.0.0:0 :0].each do |address|
      refused = refuse("--web", address)
      assert_equal [2, ""], [refused.code, refused.out], address
      assert_match(/set RAFFIA_WEB_AUTH=USER:PASSWORD/, refused.err)
    end
    work("--web", "0.0.0.0:0", env: {"RAFFIA_WEB_AUTH" => "ada:secret"}) do |worker|
      await("it does not answer") { look(worker).code == "401" }
      assert_equal "200", look(worker, authorization: "Basic #{["ada:secret"].pack("m0")}").code
      refute_match(/secret/, worker.err + worker.out)
    end
  end

  def test_what_makes_no_sense
    {"nonsense" => /is no address for --web/, "127.0.0.1:99999" => /is no address/,
     "192.0.2.1:9" => /can be reached by others/,
     "http://localhost:1" => /is no address/}.each do |address, message|
      assert_match(message, refuse("--web", address).err)
    end
    taken = TCPServer.new("127.0.0.1", 0)
    assert_match(/cannot listen on 127\.0\.0\.1:\d+: .*in use/,
      refuse("--web", "127.0.0.1:#{taken.local_address.ip_port}").err)
    taken.close
    %w[ada ada: :secret].each do |credentials|
      assert_match(/must be USER:PASSWORD/,
        refuse("--web", "0", env: {"RAFFIA_WEB_AUTH" => credentials}).err)
    end
  end

  private

  def refuse(*argv, **options) = raffia("work", "--store", url, *argv, **options)
end

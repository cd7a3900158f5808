# One sample of Elixir's processes, printed as JSON: what the Ruby targets are compared with from
# outside.
#
#     elixir reference.exs WORKLOAD OPERATIONS

defmodule Echo do
  use GenServer
  def init(state), do: {:ok, state}
  def handle_call({:increase, number}, _from, state), do: {:reply, number + 1, state}
  def handle_call({:ask, other, times}, _from, state),
    do: {:reply, Bench.asked(other, times), state}
end

defmodule Link do
  def loop(next) do
    receive do
      {:follow, other} -> loop(other)
      {:pass, 0, done} -> send(done, :done) && loop(next)
      {:pass, left, done} -> send(next, {:pass, left - 1, done}) && loop(next)
    end
  end
end

defmodule Failing do
  use GenServer
  def start_link(_), do: GenServer.start_link(__MODULE__, nil, name: __MODULE__)
  def init(state), do: {:ok, state}
  def handle_call(:fail_now, _from, _state), do: exit(:as_asked)
end

defmodule Bench do
  def asked(other, times),
    do:
      Enum.reduce(0..(times - 1), 0, fn number, sum ->
        sum + GenServer.call(other, {:increase, number})
      end)

  def start, do: elem(GenServer.start_link(Echo, nil), 1)

  def work("call") do
    echo = start()
    asker = start()
    fn times ->
      GenServer.call(asker, {:ask, echo, times}, :infinity) == div(times * (times + 1), 2)
    end
  end

  def work("call_thread") do
    echo = start()
    fn times -> asked(echo, times) == div(times * (times + 1), 2) end
  end

  def work("ring") do
    links = for _ <- 1..1000, do: spawn(fn -> Link.loop(nil) end)
    Enum.zip(links, tl(links) ++ [hd(links)])
    |> Enum.each(fn {link, next} -> send(link, {:follow, next}) end)

    fn times ->
      send(hd(links), {:pass, times, self()})
      receive do: (:done -> true)
    end
  end

  def work("fan_in") do
    fn times ->
      owner = self()
      each = div(times, 8)
      sink = spawn(fn -> take(each * 8, owner) end)
      for _ <- 1..8, do: spawn(fn -> for number <- 1..each, do: send(sink, number) end)
      receive do: (:done -> true)
    end
  end

  def work("idle") do
    fn times ->
      all =
        for number <- 1..times,
            do: start() |> then(&{&1, GenServer.call(&1, {:increase, number})})

      Process.put(:kept, [Process.get(:kept) | all])
      length(all) == times
    end
  end

  def work("restart") do
    Logger.configure(level: :none)
    Supervisor.start_link([Failing], strategy: :one_for_one, max_restarts: 1_000_000_000)
    fn times -> Enum.all?(1..times, fn _ -> fails?() end) end
  end

  def work("pool") do
    workers = for _ <- 1..10, do: spawn(fn -> wait_and_answer() end)

    fn times ->
      for {worker, _} <- Enum.zip(Stream.cycle(workers), 1..times), do: send(worker, self())
      answers = for _ <- 1..times, do: receive(do: (number when is_integer(number) -> number))
      Enum.sum(answers) == times
    end
  end

  defp take(0, owner), do: send(owner, :done)
  defp take(left, owner), do: receive(do: (_ -> take(left - 1, owner)))

  defp wait_and_answer do
    receive do
      owner ->
        Process.sleep(1)
        send(owner, 1)
        wait_and_answer()
    end
  end

  # The next one has the name a little later.
  defp fails? do
    GenServer.call(Failing, :fail_now)
    false
  catch
    :exit, {:noproc, _} -> Process.sleep(0) && fails?()
    :exit, {:as_asked, _} -> true
  end

  def cpu do
    # All threads of the virtual machine, in clock ticks of 10 ms.
    fields = File.read!("/proc/self/stat") |> String.split(") ") |> List.last() |> String.split()
    [user, system] = Enum.slice(fields, 11, 2)
    (String.to_integer(user) + String.to_integer(system)) / 100
  end

  def resident do
    pages = File.read!("/proc/self/statm") |> String.split() |> Enum.at(1) |> String.to_integer()
    pages * 4
  end

  def sample(workload, operations) do
    work = work(workload)
    true = work.(max(div(operations, 5), 10))
    :erlang.garbage_collect()
    first = {cpu(), System.monotonic_time(:microsecond), resident()}
    true = work.(operations)
    :erlang.garbage_collect()
    figures(workload, operations, first, {cpu(), System.monotonic_time(:microsecond), resident()})
  end

  defp figures(workload, operations, {cpu, time, memory}, {later_cpu, later_time, later_memory}) do
    wall = (later_time - time) / 1.0e6
    used = later_cpu - cpu
    kib = if workload == "idle", do: (later_memory - memory) / operations, else: "null"
    "{\"operations\": #{operations}, \"wall\": #{wall}, \"cpu\": #{used}, " <>
      "\"cpu_us\": #{used * 1.0e6 / operations}, " <>
      "\"rate\": #{operations / wall}, \"kib\": #{kib}}"
  end
end

[workload, operations] = System.argv()
IO.puts(Bench.sample(workload, String.to_integer(operations)))

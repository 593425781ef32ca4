// Ticks trees with BehaviorTree.CPP whose leaves, <movcs i="K"/>, return what a script says of leaf K.
// tools/btcpp/test.sh builds it. Standard input has, for each case, a line with the file of a tree and the ticks in one
// line, with spaces between them: eight of S, F and R, the results of the leaves 0 to 7, or `halt`. A line of output answers
// each case: of each tick the root's result and the leaves that were ticked.
#include <behaviortree_cpp/bt_factory.h>

#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace
{
std::string results;
std::set<char> ticked;

struct Leaf : BT::ActionNodeBase
{
  using BT::ActionNodeBase::ActionNodeBase;
  static BT::PortsList providedPorts() { return { BT::InputPort<std::string>("d"), BT::InputPort<int>("i") }; }
  BT::NodeStatus tick() override
  {
    const int number = getInput<int>("i").value();
    ticked.insert(static_cast<char>('0' + number));
    switch(results.at(static_cast<std::size_t>(number)))
    {
      case 'S':
        return BT::NodeStatus::SUCCESS;
      case 'F':
        return BT::NodeStatus::FAILURE;
      default:
        return BT::NodeStatus::RUNNING;
    }
  }
  void halt() override { resetStatus(); }
};

char letter(BT::NodeStatus status)
{
  return status == BT::NodeStatus::SUCCESS ? 'S' : status == BT::NodeStatus::FAILURE ? 'F' : 'R';
}
}  // namespace

int main()
{
  std::string path, script;
  while(std::getline(std::cin, path) && std::getline(std::cin, script))
  {
    std::ifstream file(path);
    std::stringstream xml;
    xml << file.rdbuf();
    BT::BehaviorTreeFactory factory;
    factory.registerNodeType<Leaf>("movcs");
    BT::Tree tree = factory.createTreeFromText(xml.str());
    std::istringstream ticks(script);
    std::string answer;
    while(ticks >> results)
    {
      if(results == "halt")
      {
        tree.haltTree();
        continue;
      }
      ticked.clear();
      const char status = letter(tree.tickOnce());
      answer += (answer.empty() ? "" : " ") + std::string(1, status) + std::string(ticked.begin(), ticked.end());
    }
    std::cout << answer << '\n';
  }
}
